import type { SandboxImage } from '@switchyard/shared/sandbox/sandbox-image';
import { cutText } from '@switchyard/shared/text/cut-text';
import type { Log } from '../../../connection/log.ts';
import { messageOf } from '../../../connection/log.ts';
import { ImageCancelled } from './image-failed.ts';
import type { ImageStep } from './image-step.ts';
import { MAX_STEP_CHARS, stepPercent, stepText } from './image-step.ts';

const MAX_PROBLEM_CHARS = 2_000;

export type ImageSupplyOptions = {
  image: string;
  source: 'build' | 'pull';
  /** How things stand at the start; `problem` of `unavailable` says why a build would not help. */
  state: { name: 'ready' | 'missing' } | { name: 'unavailable'; problem: string };
  /** Makes the image and has new attempts use it. Rejects with words for people. */
  provide(progress: (step: ImageStep) => void, signal: AbortSignal): Promise<void>;
  log: Log;
};

/** The sandbox image of a runner that serves meanwhile: provided beside its work, once at a time. */
export class ImageSupply {
  readonly #options: ImageSupplyOptions;
  readonly #stop = new AbortController();
  #state: SandboxImage['state'];
  #problem: string | null;
  #step: string | null = null;
  #percent: number | null = null;
  #work: Promise<void> = Promise.resolve();

  constructor(options: ImageSupplyOptions) {
    this.#options = options;
    this.#state = options.state.name;
    this.#problem = options.state.name === 'unavailable' ? options.state.problem : null;
  }

  /** How it stands now. */
  status(): SandboxImage {
    const { image, source } = this.#options;
    return {
      ...{ state: this.#state, image, source },
      ...{ step: this.#step, percent: this.#percent, problem: this.#problem },
    };
  }

  /** Begins to provide the image unless it is there, on its way, or of no use. */
  begin(): SandboxImage {
    if (this.#state === 'missing' || this.#state === 'failed') this.#work = this.#provide();
    return this.status();
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

  async #provide(): Promise<void> {
    const { provide, log, image, source } = this.#options;
    this.#state = 'providing';
    this.#problem = null;
    this.#step = source === 'build' ? 'beginning to build' : 'beginning to pull';
    this.#percent = null;
    log.info('the sandbox image is being provided; attempts start without it meanwhile', {
      image,
      source,
    });
    try {
      await provide((step) => this.#note(step), this.#stop.signal);
      this.#state = 'ready';
    } catch (error) {
      this.#state = 'failed';
      this.#problem = cutText(messageOf(error), MAX_PROBLEM_CHARS);
      if (error instanceof ImageCancelled)
        log.info('the sandbox image was not finished', { image });
      else log.error('the sandbox image cannot be had', { error: this.#problem });
    } finally {
      this.#step = null;
      this.#percent = null;
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
