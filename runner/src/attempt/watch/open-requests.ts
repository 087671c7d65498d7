import type { AttemptContext } from '../attempt-deps.ts';

type Parts = Pick<AttemptContext, 'spec'> & {
  deps: Pick<AttemptContext['deps'], 'clock'>;
  liveness: Pick<AttemptContext['liveness'], 'requestOpened' | 'requestClosed'>;
  recorder: Pick<AttemptContext['recorder'], 'progress'>;
};

/**
 * Unanswered questions of the agent: the attempt's clocks pause, and each question has
 * `limits.requestMs` from when it was asked, also after a restart of the runner.
 */
export class OpenRequests {
  readonly #parts: Parts;
  readonly #expired: (requestId: string) => void;
  readonly #expiries = new Map<string, () => void>();
  /** When each was asked, epoch milliseconds, for a later process. */
  readonly #askedAtMs: Map<string, number>;

  /** `expired` is called when a request got no answer in time. */
  constructor(
    parts: Parts,
    askedAtMs: Record<string, number>,
    expired: (requestId: string) => void,
  ) {
    this.#parts = parts;
    this.#askedAtMs = new Map(Object.entries(askedAtMs));
    this.#expired = expired;
  }

  /** For a request that is already open only the time limit continues. */
  opened(requestId: string): void {
    const { liveness, spec, deps } = this.#parts;
    const { requestMs } = spec.limits;
    const nowMs = deps.clock.nowMs();
    const askedAtMs = this.#askedAtMs.get(requestId) ?? nowMs;
    this.#askedAtMs.set(requestId, askedAtMs);
    this.#save();
    liveness.requestOpened(requestId);
    this.#expiries.get(requestId)?.();
    // A clock that was set back extends no limit.
    const leftMs = requestMs - Math.max(0, nowMs - askedAtMs);
    const expire =
      requestMs > 0
        ? deps.clock.after(Math.max(0, leftMs), () => this.#expired(requestId))
        : () => undefined;
    this.#expiries.set(requestId, expire);
  }

  closed(requestId: string): void {
    this.#expiries.get(requestId)?.();
    this.#expiries.delete(requestId);
    this.#askedAtMs.delete(requestId);
    this.#save();
    this.#parts.liveness.requestClosed(requestId);
  }

  /** The session is over, so nothing can be answered any more. */
  stop(): void {
    for (const [requestId, cancel] of this.#expiries) {
      cancel();
      this.#parts.liveness.requestClosed(requestId);
    }
    this.#expiries.clear();
  }

  #save(): void {
    this.#parts.recorder.progress({ requestsAskedAtMs: Object.fromEntries(this.#askedAtMs) });
  }
}
