import type { AttemptPort } from '../attempt-port.ts';
import type { Clock } from '../clock.ts';
import type { Spool } from '../journal/spool.ts';
import { type LeaseRef, leaseKey } from '../lease-ref.ts';
import type { Outbound } from './outbound.ts';
import type { StreamFlow } from './stream-flow.ts';

/** Sends the ends of attempts on one socket until each is confirmed. */
export class FinishSender {
  readonly #deps: { attempts: AttemptPort; clock: Clock; spool: Spool };
  readonly #sentMs = new Map<string, number>();
  readonly #late = new Set<string>();

  constructor(deps: { attempts: AttemptPort; clock: Clock; spool: Spool }) {
    this.#deps = deps;
  }

  /**
   * Sends `finish` once all events of the lease are committed, and again without an answer. For a
   * lost lease it is sent as is, if the control plane accepts that.
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
      // After a power cut events that this end covers are lost, and it could never be accepted.
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

  /** Whether a finish was sent for a lost lease, so that a fence is the answer to it. */
  wasLate(ref: LeaseRef): boolean {
    return this.#late.has(leaseKey(ref));
  }

  /** Forgets when a finish was sent: it was confirmed, or is to be sent again at once. */
  forget(ref: LeaseRef): void {
    this.#sentMs.delete(leaseKey(ref));
  }
}
