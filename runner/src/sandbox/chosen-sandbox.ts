import type Docker from 'dockerode';
import type { RunnerEngine } from '@switchyard/shared/engine/runner-engine';
import { messageOf } from '@switchyard/shared/message-of';
import { type Clock, sleep } from '../connection/clock.ts';
import type { Log } from '../log.ts';
import type { Introduction } from '../connection/session-deps.ts';
import type { ContainerEngine } from '../container/container-engine.ts';
import { DEFAULT_ENGINE } from '../container/docker/image/engine-labels.ts';
import { type ImageState, ImageSupply } from '../container/docker/image/image-supply.ts';
import { DEFAULT_BASE_IMAGE, provideImage } from '../container/docker/image/provide-image.ts';
import { wantedImage } from '../container/docker/image/wanted-image.ts';
import { SwitchingEngine } from '../container/switching-engine.ts';
import { configuredEngines } from '../engine/host-engines.ts';
import { DEFAULT_PART } from '../engine/parts/engine-parts.ts';
import type { EngineSupply } from '../engine/parts/engine-supply.ts';
import type { RunOptions } from '../run-options.ts';
import { baseProblem } from './base-problem.ts';
import { type DockerProbe, type DockerSandbox, imageState, type Usable } from './docker-sandbox.ts';
import { dockerLost, withoutDocker } from './sandbox-messages.ts';

/** More are not told. Source: `hello` in shared/src/protocol/messages.ts. */
const MAX_ENGINES = 16;
/** How often Docker and its image are looked for: what comes or goes is noticed within a minute. */
const LOOK_MS = 20_000;

/** What `hello` says of the isolation; it changes when Docker or the sandbox image come or go. */
export type SandboxFacts = Required<
  Pick<Introduction, 'isolation' | 'isolationLevels' | 'warnings' | 'engines'>
> & {
  /** Of the engine in it; undefined where only a start would tell. */
  engineVersion: string | undefined;
};

export type SandboxParts = {
  options: RunOptions;
  image: string;
  docker: Docker;
  log: Log;
  /** Null: Docker is not to be used. */
  sandbox: DockerSandbox | null;
  /** What attempts get that begin now. */
  present: Usable;
  state: ImageState;
  /** What attempts of a former process may run in. */
  others: readonly ContainerEngine[];
  engineSupply: EngineSupply;
};

/**
 * What isolates the agents of a runner. Docker that comes is used by whatever begins later; once
 * agents ran in it they never run without: while it is gone nothing new is taken.
 */
export class ChosenSandbox {
  readonly image: string;
  readonly containers: SwitchingEngine;
  readonly imageSupply: ImageSupply;
  readonly engineSupply: EngineSupply;
  readonly #parts: SandboxParts;
  readonly #ownAgents: RunnerEngine[];
  #present: Usable;
  /** Why Docker, which was there, cannot be used now. */
  #loss: string | null = null;
  #changed = (): void => undefined;
  #came = (_engine: ContainerEngine): void => undefined;
  /** What a look may change, as it was told last. */
  #told: string;

  constructor(parts: SandboxParts) {
    const { options, image, present, others, engineSupply } = parts;
    this.#parts = parts;
    this.image = image;
    this.#present = present;
    this.containers = new SwitchingEngine(present.engine, others);
    this.engineSupply = engineSupply;
    this.#ownAgents = configuredEngines(options.agents ?? []);
    engineSupply.onChange(() => this.#changed());
    this.imageSupply = this.#supplyOf(parts);
    this.#told = this.#tellable();
  }

  /** As it is now. */
  facts(): SandboxFacts {
    const { engine, engines: enginesOf, warnings } = this.#present;
    const engines = enginesOf();
    return {
      isolation: engine.isolation,
      isolationLevels: engine.levels?.() ?? { default: 'process', runtimes: {} },
      engines: [...engines, ...this.#ownAgents].slice(0, MAX_ENGINES),
      engineVersion: defaultVersion(engines.filter(({ state }) => state === undefined)),
      warnings: this.#loss === null ? warnings : [this.#loss],
    };
  }

  /** Docker, in which agents run, cannot be used now: no attempt is taken. */
  isClosed(): boolean {
    return this.#loss !== null;
  }

  /** Why an agent engine is not ready yet, in words, and begins to fetch it; null: it is, or never will be. */
  awaitEngine(name: string = DEFAULT_PART, asked?: { isPerson: boolean }): string | null {
    if (this.#loss !== null || !this.#areProcesses) return this.#loss;
    return this.engineSupply.want(name, asked);
  }

  /** Called whenever `facts` or `isClosed` answer something else than before. */
  onChange(listener: () => void): void {
    this.#changed = listener;
  }

  /** Called when Docker can be used in place of plain processes, before anything of this one is in it. */
  onDockerCame(listener: (engine: ContainerEngine) => void): void {
    this.#came = listener;
  }

  /** Notices Docker and images that come and go, until the signal aborts. */
  async follow(clock: Clock, signal: AbortSignal): Promise<void> {
    while (this.#parts.sandbox !== null && !signal.aborted) {
      await sleep(clock, LOOK_MS, signal);
      // The end of a build looks by itself.
      const before = this.imageSupply.status().state;
      if (signal.aborted || before === 'providing') continue;
      const state = await this.#look().catch((error: unknown) => this.#notReported(error));
      if (state === null) continue;
      this.imageSupply.noticed(state);
      // One that failed to be built stays so, until it had been there.
      const isNews = before !== 'missing' && this.imageSupply.status().state === 'missing';
      if (isNews && this.#parts.options.buildImage === true) void this.imageSupply.begin();
    }
  }

  #notReported(error: unknown): null {
    this.#parts.log.error('what Docker is like now could not be told', { error: messageOf(error) });
    return null;
  }

  /** Cuts off what has begun, and lets go of the daemon; containers stay. */
  async close(): Promise<void> {
    await Promise.all([this.imageSupply.close(), this.engineSupply.close()]);
    await this.#parts.sandbox?.close();
  }

  get #areProcesses(): boolean {
    return this.#present.engine.isolation === 'process';
  }

  #supplyOf({ options, image, docker, sandbox, state, log }: SandboxParts): ImageSupply {
    const wanted = wantedImage(options);
    return new ImageSupply({
      image,
      source: wanted.source,
      state,
      log,
      baseImage: wanted.source === 'pull' ? null : (wanted.baseImage ?? DEFAULT_BASE_IMAGE),
      baseProblem: (baseImage) => baseProblem(baseImage, options, wanted),
      ...(sandbox === null ? {} : { look: () => this.#look() }),
      provide: async ({ baseImage = options.baseImage }, making) => {
        await provideImage(docker, wantedImage({ ...options, baseImage }), making);
        const look = await sandbox?.look();
        if (look?.usable === null) throw look.error;
        if (look !== undefined) this.#apply(look);
      },
    });
  }

  async #look(): Promise<ImageState> {
    const { sandbox, state } = this.#parts;
    if (sandbox === null) return state;
    const look = await sandbox.look();
    this.#apply(look);
    return look.usable === null ? imageState(look.error) : { name: 'ready' };
  }

  #apply({ usable, error }: DockerProbe): void {
    const { source } = this.imageSupply.status();
    if (usable !== null) {
      if (this.#areProcesses) this.#came(usable.engine);
      this.#present = usable;
      this.containers.switchTo(usable.engine);
      this.#loss = null;
    } else if (this.#areProcesses) {
      this.#present = { ...this.#present, warnings: [withoutDocker(error, source)] };
    } else this.#loss = dockerLost(error, source);
    const tellable = this.#tellable();
    if (tellable === this.#told) return;
    if (usable === null) this.#parts.log.warn(this.facts().warnings[0] ?? '');
    this.#changed();
    // What could not be told is told after the next look.
    this.#told = tellable;
  }

  #tellable(): string {
    const { engine, engines, warnings } = this.#present;
    const isDocker = engine.isolation === 'docker';
    return JSON.stringify([this.#loss, warnings, isDocker && [engine.levels?.(), engines()]]);
  }
}

/** As runners told it before they had more than one engine. */
function defaultVersion(engines: readonly RunnerEngine[]): string | undefined {
  const version = engines.find(({ name }) => name === DEFAULT_ENGINE)?.version;
  return version === 'unknown' ? undefined : version;
}
