import type { RunnerEngine } from '@switchyard/shared/engine/runner-engine';
import { messageOf } from '@switchyard/shared/message-of';
import { type Clock, sleep } from '../connection/clock.ts';
import type { Log } from '../log.ts';
import type { Introduction } from '../connection/session-deps.ts';
import type { ContainerEngine } from '../container/container-engine.ts';
import { DEFAULT_ENGINE } from '../container/docker/image/engine-labels.ts';
import { type ImageState, ImageSupply } from '../container/docker/image/image-supply.ts';
import { DEFAULT_BASE_IMAGE } from '../container/docker/image/provide-image.ts';
import { wantedImage } from '../container/docker/image/wanted-image.ts';
import { SwitchingEngine } from '../container/switching-engine.ts';
import { configuredEngines } from '../engine/host-engines.ts';
import { DEFAULT_PART } from '../engine/parts/engine-parts.ts';
import type { EngineSupply } from '../engine/parts/engine-supply.ts';
import type { RunOptions } from '../run-options.ts';
import { baseProblem } from './base-problem.ts';
import { type DockerProbe, type DockerSandbox, imageState, type Usable } from './docker-sandbox.ts';
import { dockerLost, withoutDocker } from './sandbox-messages.ts';

/** Limit on announced engines. Source: `hello` in shared/src/protocol/messages.ts. */
const MAX_ENGINES = 16;
/** Interval in which Docker and its image are probed: changes are noticed within a minute. */
const LOOK_MS = 20_000;

/**
 * The isolation as announced in `hello`; it changes with the availability of Docker or the sandbox
 * image.
 */
export type SandboxFacts = Required<
  Pick<Introduction, 'isolation' | 'isolationLevels' | 'warnings' | 'engines'>
> & {
  /** Version of the default engine; undefined where only a start would tell. */
  engineVersion: string | undefined;
};

export type SandboxParts = {
  /** Null: Docker is not used. */
  sandbox: DockerSandbox | null;
  /** Isolation of new attempts. */
  present: Usable;
  /** Isolations in which attempts of a former process may run. */
  others: readonly ContainerEngine[];
  engineSupply: EngineSupply;
  log: Log;
};

/**
 * The isolation of a runner's agents. Once a probe finds Docker usable all new attempts use it;
 * while it is unavailable later no attempt is accepted.
 */
export class ChosenSandbox {
  readonly image: string;
  readonly containers: SwitchingEngine;
  readonly imageSupply: ImageSupply;
  readonly engineSupply: EngineSupply;
  readonly #sandbox: DockerSandbox | null;
  readonly #log: Log;
  readonly #buildsImage: boolean;
  readonly #ownAgents: RunnerEngine[];
  #present: Usable;
  /** Why Docker, which was available, cannot be used now; null: it can. */
  #loss: string | null = null;
  #changed = (): void => undefined;
  #came = (_engine: ContainerEngine): void => undefined;
  /** The announced facts that a probe may change, as last sent. */
  #told: string;

  /** `state`: that of the image at the start. */
  constructor(parts: SandboxParts, options: RunOptions, state: ImageState) {
    const { sandbox, present, others, engineSupply, log } = parts;
    this.#sandbox = sandbox;
    this.#log = log;
    this.#buildsImage = options.buildImage === true;
    this.#present = present;
    this.containers = new SwitchingEngine(present.engine, others);
    this.engineSupply = engineSupply;
    this.#ownAgents = configuredEngines(options.agents ?? []);
    engineSupply.onChange(() => this.#changed());
    this.imageSupply = this.#supplyOf(options, state);
    this.image = this.imageSupply.status().image;
    this.#told = this.#tellable();
  }

  /** The present facts. */
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

  /** Whether Docker is required but unavailable, so that no attempt is accepted. */
  isClosed(): boolean {
    return this.#loss !== null;
  }

  /**
   * Why an agent engine is not ready yet, for people, starting its download; null: it is ready, or
   * cannot be downloaded.
   */
  awaitEngine(name: string = DEFAULT_PART, asked?: { isPerson: boolean }): string | null {
    if (this.#loss !== null || !this.#areProcesses) return this.#loss;
    return this.engineSupply.want(name, asked);
  }

  /** Registers a listener for changes of `facts` or `isClosed`. */
  onChange(listener: () => void): void {
    this.#changed = listener;
  }

  /** Registers a listener for when Docker replaces plain processes, before this process uses it. */
  onDockerCame(listener: (engine: ContainerEngine) => void): void {
    this.#came = listener;
  }

  /** Probes Docker and images until the signal aborts. */
  async follow(clock: Clock, signal: AbortSignal): Promise<void> {
    while (this.#sandbox !== null && !signal.aborted) {
      await sleep(clock, LOOK_MS, signal);
      // A build probes by itself at its end.
      const before = this.imageSupply.status().state;
      if (signal.aborted || before === 'providing') continue;
      const state = await this.#look(this.#sandbox).catch((error: unknown) =>
        this.#notReported(error),
      );
      if (state === null) continue;
      this.imageSupply.noticed(state);
      // A failed build stays visible until the image was present.
      const isNews = before !== 'missing' && this.imageSupply.status().state === 'missing';
      if (isNews && this.#buildsImage) void this.imageSupply.begin();
    }
  }

  #notReported(error: unknown): null {
    this.#log.error('what Docker is like now could not be told', { error: messageOf(error) });
    return null;
  }

  /** Cancels a running build or pull and disconnects from the daemon; containers stay. */
  async close(): Promise<void> {
    await Promise.all([this.imageSupply.close(), this.engineSupply.close()]);
    await this.#sandbox?.close();
  }

  get #areProcesses(): boolean {
    return this.#present.engine.isolation === 'process';
  }

  #supplyOf(options: RunOptions, state: ImageState): ImageSupply {
    const sandbox = this.#sandbox;
    const wanted = wantedImage(options);
    return new ImageSupply({
      image: wanted.image,
      source: wanted.source,
      state,
      log: this.#log,
      baseImage: wanted.source === 'pull' ? null : (wanted.baseImage ?? DEFAULT_BASE_IMAGE),
      baseProblem: (baseImage) => baseProblem(baseImage, options, wanted),
      ...(sandbox === null ? {} : { probe: () => this.#look(sandbox) }),
      provide: async ({ baseImage = options.baseImage }, making) => {
        const probe = await sandbox?.provide(wantedImage({ ...options, baseImage }), making);
        if (probe?.usable === null) throw probe.error;
        if (probe !== undefined) this.#apply(probe);
      },
    });
  }

  async #look(sandbox: DockerSandbox): Promise<ImageState> {
    const found = await sandbox.look();
    this.#apply(found);
    return found.usable === null ? imageState(found.error) : { name: 'ready' };
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
    if (usable === null) this.#log.warn(this.facts().warnings[0] ?? '');
    this.#changed();
    // What could not be sent is sent after the next probe.
    this.#told = tellable;
  }

  #tellable(): string {
    const { engine, engines, warnings } = this.#present;
    const isDocker = engine.isolation === 'docker';
    return JSON.stringify([this.#loss, warnings, isDocker && [engine.levels?.(), engines()]]);
  }
}

/**
 * Version of the default engine, which runners announced before they had several engines; undefined
 * when not known.
 */
function defaultVersion(engines: readonly RunnerEngine[]): string | undefined {
  const version = engines.find(({ name }) => name === DEFAULT_ENGINE)?.version;
  return version === 'unknown' ? undefined : version;
}
