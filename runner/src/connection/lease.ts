import { leaseGuardMs } from '@switchyard/shared/protocol/lease-times';
import type { Clock } from './clock.ts';

/** A request whose answer renews the lease may wait this long before it is forgotten. */
const REF_KEEP_MS = 600_000;

/**
 * When this runner must have stopped everything. Counted from when the answered request was sent,
 * so that an answer that took long on its way is still safe, and shorter by a guard than
 * what the control plane counts.
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

  /** Remember when `ref` was sent: call it in the same tick as the send. */
  sent(ref: string): void {
    const nowMs = this.#clock.monotonicMs();
    for (const [old, atMs] of this.#sentMs) {
      if (nowMs - atMs > REF_KEEP_MS) this.#sentMs.delete(old);
    }
    this.#sentMs.set(ref, nowMs);
  }

  /** The control plane answered `ref`. Unknown refs renew nothing. Returns what remains. */
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

  /** After a restart: what the journal still knew of the lease. */
  restore(remainingMs: number): void {
    this.#deadlineMs = this.#clock.monotonicMs() + remainingMs;
    this.#arm();
  }

  /** Null while no lease was ever granted. */
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

  /** Looks at least each second: a suspended host wakes with its timers late. */
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
