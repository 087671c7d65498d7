import { type LeaseRef, leaseKey } from '../lease-ref.ts';
import type { Outbound } from './outbound.ts';
import type { SessionDeps } from '../session-deps.ts';
import type { StreamFlow } from './stream-flow.ts';

/** Says on one socket how attempts ended, until each is confirmed. */
export class FinishSender {
  readonly #deps: Pick<SessionDeps, 'attempts' | 'clock' | 'spool'>;
  readonly #sentMs = new Map<string, number>();
  readonly #late = new Set<string>();

  constructor(deps: SessionDeps) {
    this.#deps = deps;
  }

  /**
   * `finish` goes once every event of the lease is committed; again when no answer comes. That of a
   * lease that was lost goes as it is, where the control plane takes it.
   */
  send(
    out: Outbound,
    flow: StreamFlow,
    { renewMs: againAfterMs, takesLateEnds }: { renewMs: number; takesLateEnds: boolean },
  ): void {
    const { attempts, clock, spool } = this.#deps;
    const nowMs = clock.monotonicMs();
    for (const finish of attempts.finishes()) {
      const isLate = !flow.isOpen(finish);
      if (isLate && !takesLateEnds) continue;
      // After a power cut: what this end vouches for is gone, and it could never be accepted.
      if ((spool.stream(finish)?.spooledSeq ?? 0) < finish.finalSeq) {
        attempts.refused(finish.attemptId, 'events of it were lost on this host');
        continue;
      }
      const sentMs = this.#sentMs.get(leaseKey(finish));
      const due = sentMs === undefined || nowMs - sentMs >= againAfterMs;
      if (!due || (!isLate && !flow.isDrained(finish))) continue;
      if (isLate) this.#late.add(leaseKey(finish));
      this.#sentMs.set(leaseKey(finish), nowMs);
      out.control(finish);
    }
  }

  /** It was said of a lease that is lost: a fence is the answer to it. */
  wasLate(ref: LeaseRef): boolean {
    return this.#late.has(leaseKey(ref));
  }

  /** It was confirmed, or is to be said again at once. */
  forget(ref: LeaseRef): void {
    this.#sentMs.delete(leaseKey(ref));
  }
}
