import { mkdir, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import Docker from 'dockerode';
import type { RunnerEngine } from '@switchyard/shared/engine/runner-engine';
import { cutText } from '@switchyard/shared/text/cut-text';
import { accessRoot } from './attempt/mounts/access-root.ts';
import type { RunOptions } from './run-options.ts';
import type { Introduction } from './connection/session-deps.ts';
import { type Log, messageOf } from './connection/log.ts';
import type { ContainerEngine } from './container/container-engine.ts';
import { SwitchingEngine } from './container/switching-engine.ts';
import { isMissing } from './container/docker/daemon/docker-call.ts';
import { DockerContainerEngine } from './container/docker/docker-engine.ts';
import { ImageSupply } from './container/docker/image/image-supply.ts';
import { provideImage } from './container/docker/image/provide-image.ts';
import {
  DEFAULT_ENGINE,
  hasEngines,
  labelledEngines,
  requireAcceptance,
} from './container/docker/image/engine-labels.ts';
import { defaultSandboxImage } from './container/docker/image/sandbox-image.ts';
import { wantedImage } from './container/docker/image/wanted-image.ts';
import { ProcessContainerEngine } from './container/process/process-engine.ts';
import {
  awaitedEngines,
  configuredEngines,
  hostEngines,
  imageEngines,
} from './engine/host-engines.ts';
import { systemClock } from './connection/clock.ts';
import { DEFAULT_PART } from './engine/parts/engine-parts.ts';
import { EngineSupply } from './engine/parts/engine-supply.ts';
import { requireHostProgram } from './engine/parts/host-program.ts';
import { installPart } from './engine/parts/install-part.ts';

/** What `runner build-image` makes, whatever its content. */
const OWN_BUILDS = 'switchyard-sandbox:*';
/** More are not told. Source: `hello` in shared/src/protocol/messages.ts. */
const MAX_ENGINES = 16;
const NO_PROTECTION = 'Agents run as plain processes: nothing protects this host from them.';

/** What `hello` says of the isolation; it changes when the sandbox image comes to be there. */
export type SandboxFacts = Required<
  Pick<Introduction, 'isolation' | 'isolationLevels' | 'warnings' | 'engines'>
> & {
  /** Of the engine in it; undefined where only a start would tell. */
  engineVersion: string | undefined;
};

export type ChosenSandbox = {
  containers: ContainerEngine;
  image: string;
  /** As it is now. */
  facts(): SandboxFacts;
  imageSupply: ImageSupply;
  engineSupply: EngineSupply;
  /** Why an agent engine is not ready yet, in words, and begins to fetch it; null: it is, or never will be. */
  awaitEngine(name: string | undefined, asked?: { isPerson: boolean }): string | null;
  /** Called once new attempts get another isolation than before. */
  onChange(listener: () => void): void;
};

/** The image is there and lacks engines that were asked for. */
class EnginesMissing extends Error {
  constructor(image: string, engines: readonly string[]) {
    super(`the sandbox image ${image} was not built with ${engines.join(', ')}`);
  }
}

/** A build or pull would help. */
const canBeProvided = (error: unknown) => isMissing(error) || error instanceof EnginesMissing;

/** The isolation that was asked for by name cannot be had on this machine. */
export class SandboxMissing extends Error {
  constructor(cause: unknown) {
    super(
      `--sandbox docker: ${messageOf(cause)}. To work without isolation choose --sandbox process`,
      { cause },
    );
    this.name = 'SandboxMissing';
  }
}

type Usable = { engine: ContainerEngine; engines(): RunnerEngine[]; warnings: string[] };

/**
 * Docker when a daemon answers and the image is there, else plain processes with a warning that
 * stays visible until the image is there. Throws `SandboxMissing` when Docker was asked for by name
 * and is not usable; with `--build-image` its image is built or pulled first.
 */
export async function chooseSandbox(
  options: RunOptions,
  log: Log,
  stop: AbortSignal,
): Promise<ChosenSandbox> {
  const image = options.image ?? defaultSandboxImage;
  const wanted = wantedImage(options);
  if (options.buildImage === true && options.sandbox !== 'process') {
    requireAcceptance(options.engines ?? [], options.acceptLicence === true);
  }
  const ownAgents = configuredEngines(options.agents ?? []);
  const engineSupply = new EngineSupply({
    ...{ acceptsLicence: options.acceptLicence === true, install: installPart },
    ...{ clock: systemClock(), log },
  });
  const processes = () => processSandbox(options, engineSupply);
  let present: Usable;
  let state: ConstructorParameters<typeof ImageSupply>[0]['state'] = { name: 'ready' };
  if (options.sandbox === 'process') {
    const problem = 'this runner was started with --sandbox process';
    state = { name: 'unavailable', problem };
    if (options.buildImage === true) log.warn('--build-image has no effect: Docker is not used');
    present = { ...processes(), warnings: [AS_CONFIGURED] };
  } else {
    const found = await tryDocker(options, image, log);
    if (found.usable !== null) present = found.usable;
    else {
      const { error } = found;
      state = canBeProvided(error)
        ? { name: 'missing' }
        : { name: 'unavailable', problem: messageOf(error) };
      const mayBuild = options.buildImage === true && state.name === 'missing';
      if (options.sandbox === 'docker' && !mayBuild) throw new SandboxMissing(error);
      const warnings = [cutText(warningOf(error, wanted.source), 500)];
      // Docker that was asked for by name is there before the first attempt.
      const awaited = { engine: processEngine(options), engines: () => [] };
      present = { ...(options.sandbox === 'docker' ? awaited : processes()), warnings };
      if (options.sandbox === 'auto') log.warn(present.warnings[0] ?? '');
    }
  }
  const others = options.sandbox === 'auto' ? [processEngine(options)] : [];
  const containers = new SwitchingEngine(present.engine, others);
  let changed = (): void => undefined;
  const imageSupply = new ImageSupply({
    ...{ image, source: wanted.source, state, log },
    async provide(progress, signal) {
      await provideImage(new Docker(), wanted, { signal, progress });
      const { usable, error } = await tryDocker(options, image, log);
      if (usable === null) throw error;
      present = usable;
      containers.switchTo(usable.engine);
      changed();
    },
  });
  const areProcesses = () => present.engine.isolation === 'process';
  engineSupply.onChange(() => changed());
  if (options.buildImage === true) imageSupply.begin();
  if (options.sandbox === 'docker' && imageSupply.status().state === 'providing') {
    await provideFirst(imageSupply, stop);
  }
  return {
    ...{ containers, image, imageSupply, engineSupply },
    awaitEngine: (name = DEFAULT_PART, asked) =>
      areProcesses() ? engineSupply.want(name, asked) : null,
    facts() {
      const engines = present.engines();
      const isHere = engines.filter(({ state }) => state === undefined);
      return {
        isolation: present.engine.isolation,
        isolationLevels: present.engine.levels?.() ?? { default: 'process', runtimes: {} },
        engines: [...engines, ...ownAgents].slice(0, MAX_ENGINES),
        engineVersion: defaultVersion(isHere),
        warnings: present.warnings,
      };
    },
    onChange: (listener) => void (changed = listener),
  };
}

/** As runners told it before they had more than one engine. */
function defaultVersion(engines: readonly RunnerEngine[]): string | undefined {
  const version = engines.find(({ name }) => name === DEFAULT_ENGINE)?.version;
  return version === 'unknown' ? undefined : version;
}

const AS_CONFIGURED =
  'Agents run as plain processes, as configured: nothing protects this host from them.';

/** Docker was asked for by name: nothing runs before its image is there. */
async function provideFirst(supply: ImageSupply, stop: AbortSignal): Promise<void> {
  const close = () => void supply.close();
  stop.addEventListener('abort', close, { once: true });
  if (stop.aborted) close();
  await supply.settled();
  stop.removeEventListener('abort', close);
  const { state, problem } = supply.status();
  if (state !== 'ready') throw new SandboxMissing(new Error(problem ?? 'the image is not there'));
}

/** Docker with the image, as attempts would get it; null with the reason when it cannot be used. */
async function tryDocker(
  options: RunOptions,
  image: string,
  log: Log,
): Promise<{ usable: Usable; error: null } | { usable: null; error: unknown }> {
  const gaps: string[] = [];
  const warn = (message: string) => {
    log.warn(message);
    if (message.startsWith('docker: ')) gaps.push(cutText(message, 500));
  };
  const engine = new DockerContainerEngine({
    ...{ image, warn, mountRoots: await mountRoots(options.dataDir) },
    allowedImages: [OWN_BUILDS, ...(options.allowImages ?? [])],
  });
  try {
    const { version, labels } = await engine.check();
    const { engines: wanted = [] } = options;
    if (options.image === undefined && !hasEngines(labels, wanted)) {
      throw new EnginesMissing(image, wanted);
    }
    const engines = imageEngines(labelledEngines(labels));
    const names = engines.map(({ name }) => name);
    log.info('agents run in Docker', { version, image, engines: names.join(' ') });
    const warnings = [...new Set(gaps)].slice(0, 16);
    return { usable: { engine, engines: () => engines, warnings }, error: null };
  } catch (error) {
    await engine.close();
    return { usable: null, error };
  }
}

function warningOf(error: unknown, source: 'build' | 'pull'): string {
  if (!canBeProvided(error)) {
    return `${NO_PROTECTION} Docker is not usable (${messageOf(error)}). Start it and start the runner again.`;
  }
  const verb = source === 'build' ? 'Build' : 'Pull';
  const what = error instanceof EnginesMissing ? error.message : 'the sandbox image is missing';
  return `${NO_PROTECTION} Docker runs here, but ${what}. ${verb} it on the Runners page, or start with --build-image.`;
}

/** Where workspaces, objects, homes and access folders lie; see attempt-proxies.ts for the second. */
async function mountRoots(dataDir: string): Promise<string[]> {
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const path = await realpath(dataDir);
  return [path, accessRoot(path)];
}

function processSandbox(options: RunOptions, supply: EngineSupply): Omit<Usable, 'warnings'> {
  const engines = () => [...hostEngines(), ...awaitedEngines(supply)];
  // Says why the usual one cannot be used.
  if (engines().length === 0) requireHostProgram(DEFAULT_PART);
  return { engine: processEngine(options), engines };
}

function processEngine(options: RunOptions): ContainerEngine {
  return new ProcessContainerEngine({ registryFolder: join(options.dataDir, 'processes') });
}
