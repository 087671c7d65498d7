import { setTimeout as delay } from 'node:timers/promises';
import type { SandboxImage } from '@switchyard/shared/sandbox/sandbox-image';
import { deferred } from '@switchyard/shared/deferred';
import { cutText } from '@switchyard/shared/text/cut-text';
import { messageOf } from '@switchyard/shared/message-of';
import type { Log } from '../../../log.ts';
import { ImageCancelled } from './image-failed.ts';
import type { ImageStep } from './image-step.ts';
import { MAX_STEP_CHARS, stepPercent, stepText } from './image-step.ts';

const MAX_PROBLEM_CHARS = 2_000;
/** Longest wait for a probe before `begin` returns, also if the daemon hangs. */
const PROBE_WAIT_MS = 3_000;

/**
 * What a probe of the Docker daemon found about an image; `problem` says why a build would not
 * help.
 */
export type ImageState = { name: 'ready' | 'missing' } | { name: 'unavailable'; problem: string };

/** What a request for the image may specify. */
export type ImageWish = {
  /** Debian image to build on; an image with another base is built again. */
  baseImage?: string | undefined;
};

export type ImageSupplyOptions = {
  image: string;
  source: 'build' | 'pull';
  /** Base image that is used when a request names none; null where the image is pulled. */
  baseImage: string | null;
  /** Why this runner refuses to build on an image, for people; null when it accepts it. */
  baseProblem(baseImage: string): string | null;
  /** What a probe found at the start of the runner. */
  state: ImageState;
  /**
   * Probes the daemon and switches new attempts to the image if it is present. Left out where
   * Docker is not used.
   */
  probe?: () => Promise<ImageState>;
  /**
   * Builds or pulls the image and switches new attempts to it. Rejects with a message for people.
   */
  provide(wish: ImageWish, making: ImageMaking): Promise<void>;
  log: Log;
};

type ImageMaking = { progress: (step: ImageStep) => void; signal: AbortSignal };

/** A request named a base image that this runner does not build on. */
export class BaseRefused extends Error {}

/**
 * Provides a runner's sandbox image in the background while attempts run, one build or pull at a
 * time.
 */
export class ImageSupply {
  readonly #options: ImageSupplyOptions;
  readonly #stop = new AbortController();
  #state: SandboxImage['state'] = 'unavailable';
  #problem: string | null = null;
  #step: string | null = null;
  #percent: number | null = null;
  #work: Promise<void> = Promise.resolve();
  /** What the probe before a failed build had found. */
  #failedOver: ImageState['name'] | null = null;

  constructor(options: ImageSupplyOptions) {
    this.#options = options;
    this.#set(options.state);
  }

  /** The present state of the image and of its build or pull. */
  status(): SandboxImage {
    const { image, source, baseImage } = this.#options;
    return {
      state: this.#state,
      image,
      source,
      baseImage,
      step: this.#step,
      percent: this.#percent,
      problem: this.#problem,
    };
  }

  /**
   * Starts to build or pull the image, unless it is present, already being provided, or Docker is
   * not used. Probes first and returns after the probe, so that an image built elsewhere is not
   * built again. Rejects with `BaseRefused`.
   */
  async begin(wish: ImageWish = {}): Promise<SandboxImage> {
    const { probe, baseProblem } = this.#options;
    const refusal = wish.baseImage === undefined ? null : baseProblem(wish.baseImage);
    if (refusal !== null) throw new BaseRefused(refusal);
    const isDone = this.#state === 'ready' && wish.baseImage === undefined;
    if (probe === undefined || isDone || this.#state === 'providing' || this.#stop.signal.aborted)
      return this.status();
    this.#state = 'providing';
    this.#problem = null;
    this.#step = 'looking whether the image is there';
    const decided = deferred<void>();
    this.#work = this.#provide(probe, wish, () => decided.resolve());
    await Promise.race([decided.promise, delay(PROBE_WAIT_MS, null, { ref: false })]);
    return this.status();
  }

  /**
   * Records a periodic probe. The problem of a failed build stays visible until the state changes.
   */
  noticed(state: ImageState): void {
    const isKnown = this.#state === 'failed' && state.name === this.#failedOver;
    if (this.#state !== 'providing' && !isKnown) this.#set(state);
  }

  /** Resolves when the running build or pull is over, whether it succeeded or failed. */
  settled(): Promise<void> {
    return this.#work;
  }

  /** Cancels the running build or pull; resolves when it has ended. */
  async close(): Promise<void> {
    this.#stop.abort();
    await this.#work;
  }

  #set(state: ImageState): void {
    this.#state = state.name;
    this.#problem = state.name === 'unavailable' ? state.problem : null;
    this.#step = null;
    this.#percent = null;
  }

  async #provide(
    read: () => Promise<ImageState>,
    wish: ImageWish,
    decided: () => void,
  ): Promise<void> {
    const { provide, log, image, source } = this.#options;
    const { signal } = this.#stop;
    const stopped = deferred<null>();
    signal.addEventListener('abort', () => stopped.resolve(null), { once: true });
    // Closing must not wait for a daemon that hangs.
    const found = await Promise.race([read(), stopped.promise]);
    const isWanted = found?.name === 'missing' || wish.baseImage !== undefined;
    const isOver = found !== null && (found.name === 'unavailable' || !isWanted);
    if (isOver) this.#set(found);
    else this.#step = source === 'build' ? 'beginning to build' : 'beginning to pull';
    decided();
    if (isOver) return;
    try {
      if (signal.aborted) throw new ImageCancelled(`the image ${image} was not begun`);
      log.info('the sandbox image is being provided; attempts go on as before meanwhile', {
        image,
        source,
      });
      await provide(wish, { progress: (step) => this.#note(step), signal });
      this.#set({ name: 'ready' });
    } catch (error) {
      this.#state = 'failed';
      this.#failedOver = found?.name ?? null;
      this.#step = null;
      this.#percent = null;
      this.#problem = cutText(messageOf(error), MAX_PROBLEM_CHARS);
      if (error instanceof ImageCancelled)
        log.info('the sandbox image was not finished', { image });
      else log.error('the sandbox image cannot be had', { error: this.#problem });
    }
  }

  #note(step: ImageStep): void {
    // A step's own output is only for people who run the build by hand.
    if (step.kind === 'output') return;
    const text = cutText(stepText(step), MAX_STEP_CHARS);
    const percent = stepPercent(step);
    if (text !== this.#step) this.#options.log.info('sandbox image', { step: text });
    this.#step = text;
    this.#percent = percent;
  }
}
