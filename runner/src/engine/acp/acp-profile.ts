import type { EngineCapabilities } from '@switchyard/shared/engine/runner-engine';
import type { EngineHomeSpec, EngineLaunch, OpenSession, ToolServer } from '../agent-engine.ts';

/**
 * The differences between agents that speak the Agent Client Protocol: how each is launched so that
 * a repository cannot change what it runs, and what the protocol leaves open.
 */
export interface AcpProfile {
  /** Name of the engine, such as `opencode`. */
  readonly name: string;
  readonly capabilities: EngineCapabilities;
  /** Globs of repository files that would configure the agent; agents must not push those. */
  readonly configPaths: readonly string[];
  /** Files at a repository's root with instructions for agents; the first existing one is used. */
  readonly instructionFiles: readonly string[];
  /**
   * Command, environment, configuration and folders. Throws, with a message for people, when the
   * agent does not support the provider's API, or its program is not installed.
   */
  launch(spec: EngineHomeSpec): EngineLaunch;
  /**
   * Metadata for `session/new`, `session/load` and `session/resume`, besides `cwd` and
   * `mcpServers`.
   */
  sessionMeta?(
    session: Pick<OpenSession, 'instructions' | 'repositorySettings'>,
  ): Record<string, unknown>;
  /** The tool server in the agent's form; left out: as HTTP with headers. */
  mcpServers?(server: ToolServer): unknown[];
  /**
   * How a thread of an earlier attempt is continued: `session/resume` repeats nothing of it,
   * `session/load` repeats its history.
   */
  readonly resume: 'resume' | 'load' | 'none';
  /**
   * How a message reaches a running turn: by a second `session/prompt` that joins it, by an own
   * method that accepts `{sessionId, prompt}`, or not at all.
   */
  readonly steer: { by: 'prompt' } | { by: 'method'; method: string } | { by: 'none' };
  /** Exit code of a command from `rawOutput`, if the agent provides one. */
  exitCode?(rawOutput: unknown): number | null;
}
