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
/** Whoever asks has an answer by then, also of a daemon that hangs. */
const PROBE_WAIT_MS = 3_000;

/** What a look at the daemon says of an image; `problem` says why a build would not help. */
export type ImageState = { name: 'ready' | 'missing' } | { name: 'unavailable'; problem: string };

/** What somebody who asks for the image may name. */
export type ImageWish = {
  /** Debian image that ours is built on: one that stands on another is built anew. */
  baseImage?: string | undefined;
};

export type ImageSupplyOptions = {
  image: string;
  source: 'build' | 'pull';
  /** What ours is built on when nobody names another; null where it is pulled. */
  baseImage: string | null;
  /** Why an image that somebody names is none to build on, in words; null: it is one. */
  baseProblem(baseImage: string): string | null;
  /** How things stand at the start. */
  state: ImageState;
  /** Looks at the daemon and has new attempts use an image that is there. Left out: nothing would help. */
  look?: () => Promise<ImageState>;
  /** Makes the image and has new attempts use it. Rejects with words for people. */
  provide(wish: ImageWish, making: ImageMaking): Promise<void>;
  log: Log;
};

type ImageMaking = { progress: (step: ImageStep) => void; signal: AbortSignal };

/** An image to build on was named that this runner does not build on. */
export class BaseRefused extends Error {}

/** The sandbox image of a runner that serves meanwhile: provided beside its work, once at a time. */
export class ImageSupply {
  readonly #options: ImageSupplyOptions;
  readonly #stop = new AbortController();
  #state: SandboxImage['state'] = 'unavailable';
  #problem: string | null = null;
  #step: string | null = null;
  #percent: number | null = null;
  #work: Promise<void> = Promise.resolve();
  /** What was there when a build failed. */
  #failedOver: ImageState['name'] | null = null;

  constructor(options: ImageSupplyOptions) {
    this.#options = options;
    this.#set(options.state);
  }

  /** How it stands now. */
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
   * Begins to provide the image unless it is there, on its way, or of no use. Looks first, and
   * answers once that is done: what somebody else has built meanwhile is not built again. Rejects
   * with `BaseRefused`.
   */
  async begin(wish: ImageWish = {}): Promise<SandboxImage> {
    const { look, baseProblem } = this.#options;
    const refusal = wish.baseImage === undefined ? null : baseProblem(wish.baseImage);
    if (refusal !== null) throw new BaseRefused(refusal);
    const isDone = this.#state === 'ready' && wish.baseImage === undefined;
    if (look === undefined || isDone || this.#state === 'providing' || this.#stop.signal.aborted)
      return this.status();
    this.#state = 'providing';
    this.#problem = null;
    this.#step = 'looking whether the image is there';
    const decided = deferred<void>();
    this.#work = this.#provide(look, wish, () => decided.resolve());
    await Promise.race([decided.promise, delay(PROBE_WAIT_MS, null, { ref: false })]);
    return this.status();
  }

  /** What a look found that nobody asked for. Why a build failed is told until that changes. */
  noticed(state: ImageState): void {
    const isKnown = this.#state === 'failed' && state.name === this.#failedOver;
    if (this.#state !== 'providing' && !isKnown) this.#set(state);
  }

  /** Resolves when what has begun is over, however it ended. */
  settled(): Promise<void> {
    return this.#work;
  }

  /** Cuts off what has begun; resolves when nothing of it is left. */
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
    look: () => Promise<ImageState>,
    wish: ImageWish,
    decided: () => void,
  ): Promise<void> {
    const { provide, log, image, source } = this.#options;
    const { signal } = this.#stop;
    const stopped = deferred<null>();
    signal.addEventListener('abort', () => stopped.resolve(null), { once: true });
    // A daemon that hangs does not hold up the end.
    const found = await Promise.race([look(), stopped.promise]);
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
    // A step's own output is for whoever runs the build by hand.
    if (step.kind === 'output') return;
    const text = cutText(stepText(step), MAX_STEP_CHARS);
    const percent = stepPercent(step);
    if (text !== this.#step) this.#options.log.info('sandbox image', { step: text });
    this.#step = text;
    this.#percent = percent;
  }
}
