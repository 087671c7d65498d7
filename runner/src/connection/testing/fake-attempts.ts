import type {
  ControlPlaneMessageOf,
  FenceCode,
  HeldItem,
} from '@switchyard/shared/protocol/messages';
import type { AttemptPort, Fence, KeepVerdict, OfferAnswer } from '../attempt-port.ts';
import type { Finish } from '../journal/journal.ts';
import type { LeaseRef } from '../lease-ref.ts';
import { leaseKey } from '../lease-ref.ts';
import type { Spool } from '../journal/spool.ts';

/** Holds what it is offered and keeps what it was told; runs nothing. */
export class FakeAttempts implements AttemptPort {
  readonly #spool: Spool;
  readonly leases = new Map<string, LeaseRef & { granted: boolean; finish: Finish | null }>();
  readonly grants: ControlPlaneMessageOf<'granted'>[] = [];
  readonly kept: KeepVerdict[] = [];
  readonly fences: { ref: LeaseRef; code: FenceCode }[] = [];
  readonly refusals: string[] = [];
  expired = 0;
  welcomes = 0;
  answer: OfferAnswer = { accepted: true };

  constructor(spool: Spool) {
    this.#spool = spool;
  }

  slots() {
    return { total: 4, free: 4 - this.leases.size };
  }

  held(): HeldItem[] {
    return [...this.leases.values()].map(({ attemptId, epoch, granted }) => {
      const stream = this.#spool.stream({ attemptId, epoch });
      const phase = granted ? 'running' : 'accepted';
      const counts = { spooledSeq: stream?.spooledSeq ?? 0, ackedSeq: stream?.ackedSeq ?? 0 };
      return { attemptId, epoch, phase, containerId: null, ...counts };
    });
  }

  load() {
    return {};
  }

  hold(ref: LeaseRef): void {
    this.leases.set(leaseKey(ref), { ...ref, granted: false, finish: null });
    this.#spool.open(ref);
  }

  offer(offer: ControlPlaneMessageOf<'offer'>): OfferAnswer {
    if (this.answer.accepted) this.hold({ attemptId: offer.attemptId, epoch: offer.epoch });
    return this.answer;
  }

  granted(grant: ControlPlaneMessageOf<'granted'>): void {
    this.grants.push(grant);
    const lease = this.leases.get(leaseKey(grant));
    if (lease !== undefined) lease.granted = true;
  }

  awaitsGrant(ref: LeaseRef): boolean {
    return this.leases.get(leaseKey(ref))?.granted === false;
  }

  needsToken(): boolean {
    return false;
  }

  refused(attemptId: string): void {
    this.refusals.push(attemptId);
  }

  keep(verdict: KeepVerdict): void {
    this.kept.push(verdict);
  }

  fenced(ref: LeaseRef, { code, mayReport }: Fence): void {
    this.fences.push({ ref, code });
    if (mayReport && this.leases.get(leaseKey(ref))?.finish != null) return;
    this.leases.delete(leaseKey(ref));
  }

  leaseExpired(): void {
    this.expired += 1;
  }

  welcomed(): void {
    this.welcomes += 1;
  }

  finish(ref: LeaseRef): void {
    const lease = this.leases.get(leaseKey(ref));
    const stream = this.#spool.stream(ref);
    if (lease === undefined || stream === null) throw new Error('nothing to finish');
    const { spooledSeq: finalSeq, digest } = stream;
    const { attemptId, epoch } = ref;
    lease.finish = {
      type: 'finish',
      attemptId,
      epoch,
      finalSeq,
      digest,
      outcome: 'completed',
      marker: null,
      summary: null,
    };
  }

  finishes(): Finish[] {
    return [...this.leases.values()].flatMap(({ finish }) => (finish === null ? [] : [finish]));
  }

  finished(ref: LeaseRef): void {
    this.leases.delete(leaseKey(ref));
    this.#spool.drop(ref);
  }

  drain(): void {
    this.answer = { accepted: false, code: 'DRAINING' };
  }

  undrain(): void {
    this.answer = { accepted: true };
  }

  draining(): boolean {
    return !this.answer.accepted;
  }
}
