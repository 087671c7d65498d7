import { messageOf } from '@switchyard/shared/message-of';
import { mkdir, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import Docker from 'dockerode';
import { accessRoot } from '../attempt/mounts/access-root.ts';
import type { RunOptions } from '../run-options.ts';
import type { Log } from '../log.ts';
import { systemClock } from '../connection/clock.ts';
import type { ContainerEngine } from '../container/container-engine.ts';
import type { ImageSupply } from '../container/docker/image/image-supply.ts';
import { requireAcceptance } from '../container/docker/image/engine-labels.ts';
import { wantedImage } from '../container/docker/image/wanted-image.ts';
import { ProcessContainerEngine } from '../container/process/process-engine.ts';
import { awaitedEngines, hostEngines } from '../engine/host-engines.ts';
import { DEFAULT_PART } from '../engine/parts/engine-parts.ts';
import { EngineSupply } from '../engine/parts/engine-supply.ts';
import { requireHostProgram } from '../engine/parts/host-program.ts';
import { installPart } from '../engine/parts/install-part.ts';
import { ChosenSandbox } from './chosen-sandbox.ts';
import { DockerSandbox, imageState, type Usable } from './docker-sandbox.ts';
import { AS_CONFIGURED, withoutDocker } from './sandbox-messages.ts';

/** Name pattern of the images that `runner build-image` makes unless `--tag` names another. */
const OWN_BUILDS = 'switchyard-sandbox:*';

/** The isolation that the operator requires cannot be provided on this machine. */
export class SandboxMissing extends Error {
  constructor(cause: unknown) {
    super(
      `--sandbox docker: ${messageOf(cause)}. To work without isolation choose --sandbox process`,
      { cause },
    );
    this.name = 'SandboxMissing';
  }
}

/**
 * Chooses Docker if its daemon answers and the image is present, else plain processes with a
 * warning that is shown until Docker can be used. Throws `SandboxMissing` if Docker is required and
 * not usable; with `--build-image` the image is built or pulled first.
 */
export async function chooseSandbox(
  options: RunOptions,
  log: Log,
  stop: AbortSignal,
  docker = new Docker(),
): Promise<ChosenSandbox> {
  const engineSupply = new EngineSupply({
    acceptsLicence: options.acceptLicence === true,
    install: installPart,
    clock: systemClock(),
    log,
  });
  if (options.sandbox === 'process') {
    if (options.buildImage === true) log.warn('--build-image has no effect: Docker is not used');
    const problem = 'this runner was started with --sandbox process';
    const present = { ...processSandbox(options, engineSupply), warnings: [AS_CONFIGURED] };
    const state = { name: 'unavailable', problem } as const;
    const parts = { sandbox: null, present, others: [], engineSupply, log };
    return new ChosenSandbox(parts, options, state);
  }
  if (options.buildImage === true) requireAcceptance(options.engines ?? [], options);
  const sandbox = await dockerSandbox(options, docker, log);
  const { usable, error } = await sandbox.look();
  const state = usable === null ? imageState(error) : ({ name: 'ready' } as const);
  try {
    const present = usable ?? withoutDockerYet(error, state.name, { options, engineSupply, log });
    const others = options.sandbox === 'auto' ? [processEngine(options)] : [];
    const parts = { sandbox, present, others, engineSupply, log };
    const chosen = new ChosenSandbox(parts, options, state);
    if (options.buildImage === true) void chosen.imageSupply.begin();
    if (options.sandbox === 'docker' && usable === null)
      await provideFirst(chosen.imageSupply, stop);
    return chosen;
  } catch (failure) {
    await sandbox.close();
    throw failure;
  }
}

async function dockerSandbox(
  options: RunOptions,
  docker: Docker,
  log: Log,
): Promise<DockerSandbox> {
  const { engines } = options;
  return new DockerSandbox({
    docker,
    image: wantedImage(options).image,
    log,
    mountRoots: await mountRoots(options.dataDir),
    allowedImages: [OWN_BUILDS, ...(options.allowImages ?? [])],
    ...(options.image === undefined && engines !== undefined ? { engines } : {}),
  });
}

/** The sandbox of attempts that start while Docker cannot be used. */
function withoutDockerYet(
  error: unknown,
  state: 'ready' | 'missing' | 'unavailable',
  { options, engineSupply, log }: { options: RunOptions; engineSupply: EngineSupply; log: Log },
): Usable {
  const warnings = [withoutDocker(error, wantedImage(options).source)];
  if (options.sandbox === 'docker') {
    if (options.buildImage !== true || state !== 'missing') throw new SandboxMissing(error);
    // A runner that requires Docker starts no attempt before the image is built.
    return { engine: processEngine(options), engines: () => [], warnings };
  }
  log.warn(warnings[0] ?? '');
  return { ...processSandbox(options, engineSupply), warnings };
}

/**
 * Waits for the image of a runner that requires Docker; throws `SandboxMissing` if it cannot be
 * provided.
 */
async function provideFirst(supply: ImageSupply, stop: AbortSignal): Promise<void> {
  const close = () => void supply.close();
  stop.addEventListener('abort', close, { once: true });
  if (stop.aborted) close();
  await supply.settled();
  stop.removeEventListener('abort', close);
  const { state, problem } = supply.status();
  if (state !== 'ready') throw new SandboxMissing(new Error(problem ?? 'the image is not there'));
}

/**
 * Creates and returns the folders from which containers may mount: the data folder (workspaces,
 * objects, homes) and the root of the access folders of attempt proxies.
 */
async function mountRoots(dataDir: string): Promise<string[]> {
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const path = await realpath(dataDir);
  return [path, accessRoot(path)];
}

function processSandbox(options: RunOptions, supply: EngineSupply): Omit<Usable, 'warnings'> {
  const engines = () => [...hostEngines(), ...awaitedEngines(supply)];
  // With no engine installed or downloadable this throws an error that says what the default engine
  // lacks.
  if (engines().length === 0) requireHostProgram(DEFAULT_PART);
  return { engine: processEngine(options), engines };
}

function processEngine(options: RunOptions): ContainerEngine {
  return new ProcessContainerEngine({ registryFolder: join(options.dataDir, 'processes') });
}
