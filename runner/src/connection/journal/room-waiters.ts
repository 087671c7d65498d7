import type { LeaseRef } from '../lease-ref.ts';
import { leaseKey } from '../lease-ref.ts';

/** Writers that wait for space in a full stream. */
export class RoomWaiters {
  readonly #waiting = new Map<string, Set<() => void>>();

  wait(ref: LeaseRef): Promise<void> {
    const key = leaseKey(ref);
    const waiters = this.#waiting.get(key) ?? new Set();
    this.#waiting.set(key, waiters);
    return new Promise((resolve) => waiters.add(resolve));
  }

  wake(ref: LeaseRef): void {
    const waiters = this.#waiting.get(leaseKey(ref));
    this.#waiting.delete(leaseKey(ref));
    for (const wake of waiters ?? []) wake();
  }
}
