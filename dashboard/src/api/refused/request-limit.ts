import { retryAfterMs } from '@switchyard/shared/network/retry-after-ms';

/** Nobody waits longer by itself, whatever an answer asks for. */
const WAIT_MAX_MS = 65_000;
/** Where an answer does not say how long. */
const WAIT_MS = 5_000;

/**
 * Until when the service, or a proxy before it, takes no more requests of this browser, epoch
 * milliseconds; null while it takes them. Known from any answer with 429.
 */
export class RequestLimit {
  readonly #listeners = new Set<() => void>();
  #untilMs: number | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;

  get untilMs(): number | null {
    return this.#untilMs;
  }

  /** How long an answer asks to wait, milliseconds; null for one that asks nothing. */
  learn({ status, headers }: Pick<Response, 'status' | 'headers'>): number | null {
    const nowMs = Date.now();
    const asked = retryAfterMs(headers.get('Retry-After'), nowMs, WAIT_MAX_MS);
    if (status !== 429) return asked;
    const waitMs = asked ?? WAIT_MS;
    this.#set(Math.max(this.#untilMs ?? 0, nowMs + waitMs));
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#set(null), Math.max(0, (this.#untilMs ?? 0) - nowMs));
    return waitMs;
  }

  /** Returns what ends it. */
  onChange = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };

  /** Ends with the work, or as soon as no more requests are taken: nobody stands and waits for that. */
  async unlessReached(work: Promise<unknown>): Promise<void> {
    let forget = () => {};
    const reached = new Promise<void>((resolve) => {
      const look = () => this.#untilMs !== null && resolve();
      forget = this.onChange(look);
      look();
    });
    await Promise.race([work, reached]).finally(forget);
  }

  #set(untilMs: number | null): void {
    this.#untilMs = untilMs;
    for (const listener of this.#listeners) listener();
  }
}

/** Shared by the whole page. */
export const requestLimit = new RequestLimit();
