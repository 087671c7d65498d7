import { awaitedFacts, UNTOLD_PROBLEM } from '@switchyard/shared/engine/awaited-facts';
import { describeAbilities, WIRE_API_NAMES } from '@switchyard/shared/engine/describe-abilities';
import type { Engine } from '@switchyard/shared/api/engines';
import type { EngineCapabilities } from '@switchyard/shared/engine/runner-engine';
import type { WireApi } from '@switchyard/shared/model-providers/wire-api';

import type { OwnEngine } from './engines-of.ts';

type Configured = {
  name: string;
  isDefault: boolean;
  models: string[];
  wireApis: WireApi[];
  modelWarnings?: readonly string[];
};
type RunnerWithEngines = {
  runnerId: string;
  name: string;
  connected: boolean;
  engines: OwnEngine[];
};

/**
 * All engines that are configured or that a runner has: the default first, then the other
 * configured ones, then the rest by name.
 */
export function listEngines(input: {
  configured: readonly Configured[];
  runners: readonly RunnerWithEngines[];
}): Engine[] {
  const { configured, runners } = input;
  // An engine that is not configured and that runners could only download is left out.
  const found = runners
    .flatMap(({ engines }) => engines.filter(({ state }) => state !== 'fetchable'))
    .map(({ name }) => name)
    .toSorted();
  const names = [...new Set([...configured.map(({ name }) => name), ...found])];
  return names.map((name) =>
    describeEngine(
      name,
      configured.find((one) => one.name === name),
      runners,
    ),
  );
}

function describeEngine(
  name: string,
  configured: Configured | undefined,
  runners: readonly RunnerWithEngines[],
): Engine {
  const places = runners.flatMap(({ engines, ...runner }) =>
    engines.filter((engine) => engine.name === name).map((engine) => ({ ...runner, engine })),
  );
  const byPresence = places.toSorted((a, b) => Number(b.connected) - Number(a.connected));
  const capabilities = byPresence.find(({ engine }) => engine.capabilities)?.engine.capabilities;
  return {
    name,
    configured: configured !== undefined,
    isDefault: configured?.isDefault ?? false,
    experimental: capabilities?.experimental ?? false,
    capabilities: capabilities ?? null,
    abilities: capabilities ? describeAbilities(capabilities) : [],
    runners: byPresence.map(({ engine, ...runner }) => ({
      ...runner,
      version: engine.version,
      ...awaitedFacts(engine),
    })),
    models: configured?.models ?? [],
    wireApis: configured?.wireApis ?? [],
    advice: adviceFor(name, {
      configured,
      capabilities: capabilities ?? null,
      isHere: places.some(({ connected, engine }) => connected && engine.state !== 'failed'),
      failed:
        places.find(({ connected, engine }) => connected && engine.state === 'failed') ?? null,
      anyRunner: runners.some(({ connected }) => connected),
    }),
  };
}

function adviceFor(
  name: string,
  facts: {
    configured: Configured | undefined;
    capabilities: EngineCapabilities | null;
    isHere: boolean;
    /** A runner that could not download the engine, with its report; null: none. */
    failed: { name: string; engine: OwnEngine } | null;
    anyRunner: boolean;
  },
): string | null {
  const { configured, capabilities, isHere, failed, anyRunner } = facts;
  if (!anyRunner) return 'No runner is connected. Start a runner that has this engine.';
  if (!isHere && failed !== null) {
    const why = failed.engine.problem ?? UNTOLD_PROBLEM;
    return `The runner ${failed.name} could not fetch the agent engine ${name}: ${why}`;
  }
  if (!isHere) {
    return (
      `No connected runner has the agent engine ${name}. Where agents run in containers, build the ` +
      `sandbox image with it (\`switchyard runner build-image --engine ${name}\`); where they run as ` +
      `processes, install it on the runner's machine (\`switchyard engine install ${name}\`). Then ` +
      'restart the runner.'
    );
  }
  if (configured === undefined) return null;
  if (capabilities === null) return modelAdvice(configured);
  const strange = configured.wireApis.filter((api) => !capabilities.wireApis.includes(api));
  if (strange.length === 0) return modelAdvice(configured);
  return (
    `A provider is configured for it that speaks ${formats(strange)}, but the engine asks in ` +
    `${formats(capabilities.wireApis)}. Give it another account in the settings (engine.choices).`
  );
}

function modelAdvice({ modelWarnings = [] }: Configured): string | null {
  return modelWarnings.length === 0 ? null : modelWarnings.join(' ');
}

function formats(wireApis: readonly WireApi[]): string {
  return wireApis.map((api) => WIRE_API_NAMES[api]).join(', ');
}
