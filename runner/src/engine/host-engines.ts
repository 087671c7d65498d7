import type { RunnerEngine } from '@switchyard/shared/engine/runner-engine';
import { codexEngine } from './codex/codex-engine.ts';
import type { ConfiguredAgent } from './acp/profiles/configured/configured-agents.ts';
import { allEngines, engineFinder, engineNamed, enginesWith } from './engines.ts';
import { enginePart } from './parts/engine-parts.ts';
import type { EngineSupply } from './parts/engine-supply.ts';
import { hostProblem } from './parts/host-problem.ts';

/** The engines that can run as plain processes on this host. */
export function hostEngines(env: NodeJS.ProcessEnv = process.env): RunnerEngine[] {
  return allEngines().flatMap(({ name, capabilities }) => {
    const version = versionOnHost(name, env);
    return version === null ? [] : [{ name, version, capabilities }];
  });
}

/** Version of an engine on this host; null when it is not installed or cannot run. */
export function versionOnHost(name: string, env: NodeJS.ProcessEnv = process.env): string | null {
  const part = enginePart(name);
  return part === null || hostProblem(part, env) !== null ? null : part.version;
}

/** Engines that are not installed and are downloaded on demand, as a runner announces them. */
export function awaitedEngines(supply: EngineSupply): RunnerEngine[] {
  return supply.announced().flatMap(({ part: { name, version }, ...awaited }) => {
    const engine = engineNamed(name);
    if (engine === null) return [];
    return [{ name, version, capabilities: engine.capabilities, ...awaited }];
  });
}

/**
 * The engines of a sandbox image by its label, with versions. An image without the label was built
 * elsewhere, for the default engine.
 */
export function imageEngines(versions: Readonly<Record<string, string>> | null): RunnerEngine[] {
  return allEngines().flatMap(({ name, capabilities }) => {
    const version = versions === null && name === codexEngine.name ? 'unknown' : versions?.[name];
    return version === undefined ? [] : [{ name, version, capabilities }];
  });
}

/** Agents that the host's operator defined; they count as installed. */
export function configuredEngines(agents: readonly ConfiguredAgent[]): RunnerEngine[] {
  const engineOf = engineFinder(enginesWith(agents));
  return agents.flatMap(({ name, version }) => {
    const engine = engineOf(name);
    return engine === null ? [] : [{ name, version, capabilities: engine.capabilities }];
  });
}
