import { createAcpEngine } from './acp/acp-engine.ts';
import { claudeProfile } from './acp/profiles/claude/claude-profile.ts';
import type { ConfiguredAgent } from './acp/profiles/configured/configured-agents.ts';
import { configuredProfile } from './acp/profiles/configured/configured-profile.ts';
import { opencodeProfile } from './acp/profiles/opencode/opencode-profile.ts';
import type { AgentEngine } from './agent-engine.ts';
import { codexEngine } from './codex/codex-engine.ts';

/** Engine of an attempt that names none. */
const DEFAULT_ENGINE = codexEngine;

const ENGINES: readonly AgentEngine[] = [
  DEFAULT_ENGINE,
  createAcpEngine(opencodeProfile),
  createAcpEngine(claudeProfile),
];

/**
 * Finds the engine with a name, or the default one; null when this runner has none of that name.
 */
export type FindEngine = (name: string | undefined) => AgentEngine | null;

/** The agent engines of a runner. */
export type Engines = {
  find: FindEngine;
  /**
   * Why an engine is not ready yet, for people; starts its download. Null when it is ready or
   * cannot be downloaded. Left out: engines are not downloaded.
   */
  want?(name: string | undefined, asked?: { isPerson: boolean }): string | null;
};

/** All engines of a runner, including agents that its operator defined. */
export function enginesWith(agents: readonly ConfiguredAgent[]): readonly AgentEngine[] {
  return [...ENGINES, ...agents.map((agent) => createAcpEngine(configuredProfile(agent)))];
}

export function engineFinder(engines: readonly AgentEngine[]): FindEngine {
  return (name) =>
    name === undefined ? DEFAULT_ENGINE : (engines.find((one) => one.name === name) ?? null);
}

/** The product's own engine with this name, or the default one; null when there is none. */
export const engineNamed: FindEngine = engineFinder(ENGINES);

/** All of the product's own engines, the default one first; their programs may be missing. */
export function allEngines(): readonly AgentEngine[] {
  return ENGINES;
}
