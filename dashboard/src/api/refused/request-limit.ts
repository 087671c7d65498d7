import { retryAfterMs } from '@switchyard/shared/network/retry-after-ms';
import { QueryClient } from '@tanstack/react-query';

/** Longest automatic delay, whatever a response requests. */
const WAIT_MAX_MS = 65_000;
/** Delay where a response names none. */
const WAIT_MS = 5_000;

/**
 * Time until which the service, or a proxy before it, limits this browser's requests, epoch
 * milliseconds; null without a limit. Set by any response with 429.
 */
export class RequestLimit {
  readonly #listeners = new Set<() => void>();
  #untilMs: number | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;

  get untilMs(): number | null {
    return this.#untilMs;
  }

  /** Delay that a response requests, milliseconds; null for one that requests none. */
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

  /** Subscribes to changes; returns the function that unsubscribes. */
  onChange = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };

  /**
   * Resolves with the work, or as soon as requests are limited, so that no person has to wait for
   * that.
   */
  async unlessReached(work: Promise<unknown>): Promise<void> {
    let forget = () => {};
    const reached = new Promise<void>((resolve) => {
      const check = () => this.#untilMs !== null && resolve();
      forget = this.onChange(check);
      check();
    });
    await Promise.race([work, reached]).finally(forget);
  }

  #set(untilMs: number | null): void {
    this.#untilMs = untilMs;
    for (const listener of this.#listeners) listener();
  }
}

/** The instance of this page. */
export const requestLimit = new RequestLimit();

/**
 * Waits for the reads that an action made stale, so that the page matches the result. Does not wait
 * while the service limits requests: the reads follow later, and the action itself is done.
 */
export class LimitedQueryClient extends QueryClient {
  override invalidateQueries: QueryClient['invalidateQueries'] = (...args) =>
    requestLimit.unlessReached(super.invalidateQueries(...args));
}
