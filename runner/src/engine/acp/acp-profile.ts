import type { EngineCapabilities } from '@switchyard/shared/engine/runner-engine';
import type { EngineHomeSpec, EngineLaunch, OpenSession, ToolServer } from '../agent-engine.ts';

/**
 * What differs between agents that speak the Agent Client Protocol: how one is started so that
 * nothing in a repository can change what it runs, and the few things that the protocol leaves open.
 */
export interface AcpProfile {
  /** Name of the engine, for example `opencode`. */
  readonly name: string;
  readonly capabilities: EngineCapabilities;
  /** Globs of files in a repository that would configure it; agents may not push those. */
  readonly configPaths: readonly string[];
  /** Files at a repository's root that tell agents something; the first there counts. */
  readonly instructionFiles: readonly string[];
  /**
   * Command, environment, configuration and folders. Throws, in words for people, where the provider's
   * API is none that the agent speaks, or where its program is not installed.
   */
  launch(spec: EngineHomeSpec): EngineLaunch;
  /** What `session/new`, `session/load` and `session/resume` get beside `cwd` and `mcpServers`. */
  sessionMeta?(
    session: Pick<OpenSession, 'instructions' | 'repositorySettings'>,
  ): Record<string, unknown>;
  /** The tool server as this agent can reach it; left out: as HTTP with headers. */
  mcpServers?(server: ToolServer): unknown[];
  /**
   * How a thread of an earlier attempt is continued: `session/resume` says nothing of the past,
   * `session/load` repeats it.
   */
  readonly resume: 'resume' | 'load' | 'none';
  /**
   * Words during a turn: a second `session/prompt` that joins, a method of the agent's own that
   * takes `{sessionId, prompt}`, or not at all.
   */
  readonly steer: { by: 'prompt' } | { by: 'method'; method: string } | { by: 'none' };
  /** Exit code of a command from `rawOutput`, where the agent gives one. */
  exitCode?(rawOutput: unknown): number | null;
}
