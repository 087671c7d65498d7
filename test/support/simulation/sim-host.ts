import type { Clock } from '../../../runner/src/connection/clock.ts';
import type { VirtualTime } from './virtual-time.ts';

/** Wall time of every simulated host at the beginning. */
export const START_WALL_MS = Date.parse('2026-01-02T03:04:05.000Z');

/** A machine with a clock of its own rate, which may be suspended like a virtual one. */
export class SimHost {
  readonly name: string;
  readonly time: VirtualTime;
  readonly rate: number;
  bootId = 'boot-1';
  /** Whether it tells itself from a machine with a copy of its disk. */
  showsId = true;
  suspended = false;
  /** By how much its clock was set; nothing but what it shows depends on it. */
  aheadMs = 0;
  /** World time of the last resume; -Infinity when it was never suspended. */
  resumedAtMs = Number.NEGATIVE_INFINITY;
  #deferred: (() => void)[] = [];

  constructor(name: string, time: VirtualTime, rate: number) {
    this.name = name;
    this.time = time;
    this.rate = rate;
  }

  /** What this host's own clock shows; it counts time spent suspended. */
  localMs(): number {
    return this.time.nowMs * this.rate;
  }

  wallMs(): number {
    return Math.floor(START_WALL_MS + this.localMs() + this.aheadMs);
  }

  /** Runs after so many of this host's own milliseconds, later when it sleeps then. */
  after(delayMs: number, run: () => void): () => void {
    let cancelled = false;
    const fire = () => {
      if (cancelled) return;
      if (this.suspended) this.#deferred.push(fire);
      else run();
    };
    const cancel = this.time.after(Math.max(0, delayMs) / this.rate, fire);
    return () => {
      cancelled = true;
      cancel();
    };
  }

  /** Runs now, or at the resume of a suspended host: how the network reaches it. */
  whenAwake(run: () => void): void {
    if (this.suspended) this.#deferred.push(run);
    else run();
  }

  suspend(): void {
    this.suspended = true;
  }

  resume(): void {
    if (!this.suspended) return;
    this.suspended = false;
    this.resumedAtMs = this.time.nowMs;
    const waiting = this.#deferred;
    this.#deferred = [];
    // One after another, each with time to settle, as a kernel would wake its processes.
    for (const run of waiting) this.time.after(0, () => this.whenAwake(run));
  }
}

/** Time as one process on a host sees it; with the process its timers are gone. */
export class ProcessClock implements Clock {
  readonly #host: SimHost;
  #alive = true;

  constructor(host: SimHost) {
    this.#host = host;
  }

  nowMs(): number {
    return this.#host.wallMs();
  }

  monotonicMs(): number {
    return this.#host.localMs();
  }

  after(delayMs: number, run: () => void): () => void {
    return this.#host.after(delayMs, () => {
      if (this.#alive) run();
    });
  }

  get alive(): boolean {
    return this.#alive;
  }

  kill(): void {
    this.#alive = false;
  }
}
