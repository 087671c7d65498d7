import type { Clock } from '../clock.ts';

const NOTHING = new Uint8Array(0);

type Timer = { dueMs: number; run: () => void };

/** A clock that stands still until a test moves it. Timers run in due order. */
export class FakeClock implements Clock {
  #nowMs = 1_000_000;
  readonly #timers = new Set<Timer>();

  nowMs(): number {
    return 1_700_000_000_000 + this.#nowMs;
  }

  monotonicMs(): number {
    return this.#nowMs;
  }

  after(delayMs: number, run: () => void): () => void {
    const timer = { dueMs: this.#nowMs + Math.max(0, delayMs), run };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  }

  /** Moves time on, running what falls due and letting promises settle in between. */
  async advance(byMs: number): Promise<void> {
    const endMs = this.#nowMs + byMs;
    await settle();
    for (;;) {
      const next = [...this.#timers].sort((a, b) => a.dueMs - b.dueMs)[0];
      if (next === undefined || next.dueMs > endMs) break;
      this.#timers.delete(next);
      this.#nowMs = Math.max(this.#nowMs, next.dueMs);
      next.run();
      await settle();
    }
    this.#nowMs = endMs;
    await settle();
  }
}

/** Lets queued promise reactions, finished I/O and hashes on their way through the pool run. */
export async function settle(): Promise<void> {
  for (let round = 0; round < 8; round += 1) {
    await new Promise<void>((resolve) => setImmediate(resolve));
    await crypto.subtle.digest('SHA-256', NOTHING);
  }
}
