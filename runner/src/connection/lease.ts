import { leaseGuardMs } from '@switchyard/shared/protocol/lease-times';
import type { Clock } from './clock.ts';

/** How long a request whose answer renews the lease is remembered before it counts as lost. */
const REF_KEEP_MS = 600_000;

/**
 * When this runner must have stopped everything. Counts from the sending of the answered request,
 * so that a slow answer is still safe, and ends a guard interval before the control plane's own
 * count.
 */
export class Lease {
  readonly #clock: Clock;
  readonly #expired: () => void;
  readonly #sentMs = new Map<string, number>();
  #deadlineMs: number | null = null;
  #cancel: () => void = () => undefined;

  constructor(clock: Clock, expired: () => void) {
    this.#clock = clock;
    this.#expired = expired;
  }

  /** Remember when request `ref` was sent. Must be called in the same tick as the send. */
  sent(ref: string): void {
    const nowMs = this.#clock.monotonicMs();
    for (const [old, atMs] of this.#sentMs) {
      if (nowMs - atMs > REF_KEEP_MS) this.#sentMs.delete(old);
    }
    this.#sentMs.set(ref, nowMs);
  }

  /**
   * The control plane answered request `ref`, which renews the lease; an unknown `ref` is ignored.
   * Returns the remaining milliseconds; null without a lease: not granted yet, or expired.
   */
  renewed(ref: string, ttlMs: number): number | null {
    const sentMs = this.#sentMs.get(ref);
    if (sentMs === undefined) return this.remainingMs();
    const deadlineMs = sentMs + ttlMs - leaseGuardMs(ttlMs);
    if (this.#deadlineMs === null || deadlineMs > this.#deadlineMs) {
      this.#deadlineMs = deadlineMs;
      this.#arm();
    }
    return this.remainingMs();
  }

  /**
   * Restores the lease after a restart; the caller computes the time from the journal's lease end.
   */
  restore(remainingMs: number): void {
    this.#deadlineMs = this.#clock.monotonicMs() + remainingMs;
    this.#arm();
  }

  /** The remaining milliseconds; null without a lease: not granted yet, or expired. */
  remainingMs(): number | null {
    return this.#deadlineMs === null ? null : this.#deadlineMs - this.#clock.monotonicMs();
  }

  isLive(): boolean {
    const remainingMs = this.remainingMs();
    return remainingMs !== null && remainingMs > 0;
  }

  stop(): void {
    this.#cancel();
  }

  /** Checks at least every second, since timers fire late after the host was suspended. */
  #arm(): void {
    this.#cancel();
    const remainingMs = this.remainingMs() ?? 0;
    if (remainingMs <= 0) {
      this.#deadlineMs = null;
      this.#expired();
      return;
    }
    this.#cancel = this.#clock.after(Math.min(remainingMs, 1_000), () => this.#arm());
  }
}
