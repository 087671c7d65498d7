import type Docker from 'dockerode';
import type { RunnerEngine } from '@switchyard/shared/engine/runner-engine';
import { cutText } from '@switchyard/shared/text/cut-text';
import { messageOf } from '@switchyard/shared/message-of';
import type { Log } from '../log.ts';
import type { ContainerEngine } from '../container/container-engine.ts';
import { isMissing } from '../container/docker/daemon/docker-call.ts';
import { DockerContainerEngine } from '../container/docker/docker-engine.ts';
import { hasEngines, labelledEngines } from '../container/docker/image/engine-labels.ts';
import type { ImageState } from '../container/docker/image/image-supply.ts';
import {
  provideImage,
  type ProvideOptions,
  type WantedImage,
} from '../container/docker/image/provide-image.ts';
import { imageEngines } from '../engine/host-engines.ts';

/** Limit on announced warnings. Source: `hello` in shared/src/protocol/messages.ts. */
const MAX_WARNINGS = 16;
const MAX_WARNING_CHARS = 500;

/** An isolation that attempts can use now. */
export type Usable = { engine: ContainerEngine; engines(): RunnerEngine[]; warnings: string[] };

/** The result of one probe of the daemon. */
export type DockerProbe = { usable: Usable; error: null } | { usable: null; error: unknown };

/** The image exists but lacks requested engines. */
export class EnginesMissing extends Error {
  constructor(image: string, engines: readonly string[]) {
    super(`the sandbox image ${image} was not built with ${engines.join(', ')}`);
  }
}

/** The state of an image that could not be used, to decide about a build or pull. */
export function imageState(error: unknown): ImageState {
  return isMissing(error) || error instanceof EnginesMissing
    ? { name: 'missing' }
    : { name: 'unavailable', problem: messageOf(error) };
}

/**
 * Docker with the default image of attempts. The daemon and the image may disappear and return;
 * running containers keep their `ContainerEngine`.
 */
export class DockerSandbox {
  readonly #options: ConstructorParameters<typeof DockerSandbox>[0];
  readonly #engine: DockerContainerEngine;
  #reportedGaps: ReadonlySet<string> = new Set();
  #reportedEngines = '';
  #last: Promise<unknown> = Promise.resolve();

  constructor(options: {
    docker: Docker;
    image: string;
    /** Engines that the image must have; left out: any. */
    engines?: readonly string[];
    allowedImages: readonly string[];
    mountRoots: readonly string[];
    log: Log;
  }) {
    this.#options = options;
    const { docker, image, allowedImages, mountRoots, log } = options;
    const warn = (message: string) => log.warn(message);
    this.#engine = new DockerContainerEngine({ docker, image, allowedImages, mountRoots, warn });
  }

  /** Probes the daemon, one probe at a time. Never rejects. */
  look(): Promise<DockerProbe> {
    const probe = this.#last.then(() => this.#look());
    this.#last = probe;
    return probe;
  }

  /** Builds or pulls an image, then probes. Rejects as `provideImage` does. */
  async provide(wanted: WantedImage, making: ProvideOptions): Promise<DockerProbe> {
    await provideImage(this.#options.docker, wanted, making);
    return this.look();
  }

  /** Disconnects from the daemon; containers stay. */
  close(): Promise<void> {
    return this.#engine.close();
  }

  async #look(): Promise<DockerProbe> {
    const { image, engines: wanted = [] } = this.#options;
    try {
      const { version, labels, gaps = [] } = await this.#engine.check();
      this.#reportGaps(gaps);
      if (!hasEngines(labels, wanted)) throw new EnginesMissing(image, wanted);
      const engines = imageEngines(labelledEngines(labels));
      this.#tell(version, engines);
      const warnings = gaps.slice(0, MAX_WARNINGS).map((gap) => cutText(gap, MAX_WARNING_CHARS));
      return { usable: { engine: this.#engine, engines: () => engines, warnings }, error: null };
    } catch (error) {
      this.#reportedEngines = '';
      return { usable: null, error };
    }
  }

  #tell(version: string, engines: readonly RunnerEngine[]): void {
    const names = engines.map(({ name }) => name).join(' ');
    const summary = `${version} ${names}`;
    if (summary === this.#reportedEngines) return;
    this.#reportedEngines = summary;
    const { image, log } = this.#options;
    log.info('agents run in Docker', { version, image, engines: names });
  }

  /** Logs missing protections once, not at each probe. */
  #reportGaps(gaps: readonly string[]): void {
    for (const gap of gaps) if (!this.#reportedGaps.has(gap)) this.#options.log.warn(gap);
    this.#reportedGaps = new Set(gaps);
  }
}
