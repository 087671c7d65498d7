import type { LeaseRef } from './lease-ref.ts';
import type { Outbound } from './socket/outbound.ts';
import type { SessionDeps } from './session-deps.ts';

/**
 * Sends the requests whose answers carry a lease: `accept` for one attempt, `renew` for all of
 * them.
 */
export class LeaseAsker {
  readonly #deps: Pick<SessionDeps, 'attempts' | 'lease' | 'renewed' | 'wantsLease'>;
  #refs = 0;

  constructor(deps: SessionDeps) {
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

  answered(ref: string, ttlMs: number): void {
    const remainingMs = this.#deps.lease.renewed(ref, ttlMs);
    if (remainingMs !== null) this.#deps.renewed(remainingMs);
  }

  #nextRef(): string {
    this.#refs += 1;
    return `ref_${this.#refs}`;
  }
}
