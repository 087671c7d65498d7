import type { Clock } from '../../connection/clock.ts';
import { AttemptFailed } from '../attempt-end.ts';

export type LivenessLimits = {
  /** Longest silence of the engine inside a turn, milliseconds; 0 disables it. */
  turnStallMs: number;
  /** Longest time without progress in any phase, milliseconds; 0 disables it. */
  agentStallMs: number;
  /** Longest duration of the attempt, milliseconds; 0 disables it. */
  attemptMs: number;
};

const MAX_TICK_MS = 1_000;

/**
 * The time limits of one attempt. All clocks pause while a person is being asked; statistics and
 * heartbeats do not reset them.
 */
export class Liveness {
  readonly #clock: Clock;
  readonly #limits: LivenessLimits;
  readonly #ended: (failure: AttemptFailed) => void;
  readonly #requests = new Set<string>();
  readonly #tickMs: number;
  #quiet = 0;
  #turnIdleMs: number | null = null;
  #agentIdleMs = 0;
  #totalMs = 0;
  #lastMs: number;
  #cancel: () => void;

  constructor(
    clock: Clock,
    limits: LivenessLimits,
    ended: (failure: AttemptFailed) => void,
    totalMs = 0,
  ) {
    this.#clock = clock;
    this.#limits = limits;
    this.#ended = ended;
    this.#totalMs = totalMs;
    this.#lastMs = clock.monotonicMs();
    const shortest = Math.min(
      ...Object.values(limits).filter((limit) => limit > 0),
      MAX_TICK_MS * 10,
    );
    this.#tickMs = Math.max(10, Math.min(MAX_TICK_MS, shortest / 10));
    this.#cancel = clock.after(this.#tickMs, () => this.#tick());
  }

  /** A step made progress: a new phase, the end of a hook, a commit. */
  progress(): void {
    this.#count();
    this.#agentIdleMs = 0;
  }

  /** The engine sent a message other than statistics. */
  engineMessage(): void {
    this.progress();
    if (this.#turnIdleMs !== null) this.#turnIdleMs = 0;
  }

  turnStarted(): void {
    this.progress();
    this.#turnIdleMs = 0;
  }

  turnEnded(): void {
    this.progress();
    this.#turnIdleMs = null;
  }

  /**
   * Runs work that may be silent for long: only the limit of the whole attempt applies meanwhile.
   */
  async quiet<T>(work: () => Promise<T>): Promise<T> {
    this.#count();
    this.#quiet += 1;
    try {
      return await work();
    } finally {
      this.#count();
      this.#quiet -= 1;
    }
  }

  requestOpened(requestId: string): void {
    this.#count();
    this.#requests.add(requestId);
  }

  requestClosed(requestId: string): void {
    this.#count();
    this.#requests.delete(requestId);
  }

  stop(): void {
    this.#cancel();
  }

  #count(): void {
    const nowMs = this.#clock.monotonicMs();
    const passedMs = nowMs - this.#lastMs;
    this.#lastMs = nowMs;
    if (this.#requests.size > 0) return;
    this.#totalMs += passedMs;
    if (this.#quiet > 0) return;
    this.#agentIdleMs += passedMs;
    if (this.#turnIdleMs !== null) this.#turnIdleMs += passedMs;
  }

  #tick(): void {
    this.#count();
    const failure = this.#overdue();
    if (failure !== null) return this.#ended(failure);
    this.#cancel = this.#clock.after(this.#tickMs, () => this.#tick());
  }

  #overdue(): AttemptFailed | null {
    const { turnStallMs, agentStallMs, attemptMs } = this.#limits;
    if (attemptMs > 0 && this.#totalMs >= attemptMs) {
      return new AttemptFailed(
        'budget_exceeded',
        `the attempt took longer than ${durationText(attemptMs)}, the limit that agent.budget.attemptMinutes sets`,
      );
    }
    if (turnStallMs > 0 && this.#turnIdleMs !== null && this.#turnIdleMs >= turnStallMs) {
      return new AttemptFailed(
        'turn_stalled',
        `no message from the agent engine for ${durationText(turnStallMs)} (engine.stallTimeoutMs)`,
      );
    }
    if (agentStallMs > 0 && this.#agentIdleMs >= agentStallMs) {
      return new AttemptFailed(
        'agent_stalled',
        `no progress for ${durationText(agentStallMs)} (agent.stallTimeoutMs)`,
      );
    }
    return null;
  }
}

function durationText(ms: number): string {
  if (ms >= 120_000) return `${Math.round(ms / 60_000)} min`;
  return ms >= 1_000 ? `${Math.round(ms / 1_000)} s` : `${ms} ms`;
}
