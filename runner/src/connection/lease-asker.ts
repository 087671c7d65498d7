import type { AttemptPort } from './attempt-port.ts';
import type { Clock } from './clock.ts';
import type { Lease } from './lease.ts';
import type { LeaseRef } from './lease-ref.ts';
import type { Outbound } from './socket/outbound.ts';

type LeaseAskerDeps = {
  attempts: AttemptPort;
  lease: Lease;
  clock: Clock;
  random: () => number;
  renewed(remainingMs: number): void;
  /** Whether a lease is needed although no attempt is held; left out: never. */
  wantsLease?(): boolean;
};

/**
 * Sends the requests whose answers carry a lease: `accept` for one attempt, `renew` for all of
 * them. Also schedules the next renewal, which is cancelled when the socket closes.
 */
export class LeaseAsker {
  readonly #deps: LeaseAskerDeps;
  #refs = 0;
  #cancel = (): void => undefined;

  constructor(deps: LeaseAskerDeps) {
    this.#deps = deps;
  }

  accept(out: Outbound | undefined, { attemptId, epoch }: LeaseRef): void {
    const tag = this.#nextRef();
    this.#deps.lease.sent(tag);
    out?.control({ type: 'accept', attemptId, epoch, ref: tag });
  }

  /** Renews while a lease is needed; an idle runner sends nothing. */
  renew(out: Outbound): void {
    const { attempts, lease } = this.#deps;
    const held = attempts.held();
    if (held.length === 0 && this.#deps.wantsLease?.() !== true) return;
    const ref = this.#nextRef();
    lease.sent(ref);
    out.control({
      type: 'renew',
      ref,
      held,
      slots: attempts.slots(),
      load: attempts.load(),
    });
    for (const item of held) {
      if (attempts.awaitsGrant(item) || attempts.needsToken(item)) this.accept(out, item);
    }
  }

  /** Schedules the next renewal in place of any scheduled one, at a slightly random time. */
  schedule(renewMs: number, renew: () => void): void {
    const { clock, random } = this.#deps;
    this.#cancel();
    this.#cancel = clock.after(renewMs * (0.9 + 0.2 * random()), renew);
  }

  /** Cancels the scheduled renewal. */
  cancel(): void {
    this.#cancel();
  }

  answered(ref: string, ttlMs: number): void {
    const remainingMs = this.#deps.lease.renewed(ref, ttlMs);
    if (remainingMs !== null) this.#deps.renewed(remainingMs);
  }

  #nextRef(): string {
    this.#refs += 1;
    return `ref_${this.#refs}`;
  }
}
