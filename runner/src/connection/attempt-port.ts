import type {
  ControlPlaneMessageOf,
  FenceCode,
  HeldItem,
  RunnerMessageOf,
  Slots,
  Verdict,
} from '@switchyard/shared/protocol/messages';
import type { z } from 'zod';
import type { Finish } from './journal/journal.ts';
import type { LeaseRef } from './lease-ref.ts';

export type DeclineCode = RunnerMessageOf<'decline'>['code'];
export type KeepVerdict = Extract<Verdict, { verdict: 'keep' }>;
export type Load = NonNullable<RunnerMessageOf<'renew'>['load']>;
export type OfferAnswer =
  | { accepted: true }
  | { accepted: false; code: DeclineCode; message?: string };

/** Why a lease is released; orderly: this host was told to, without a failure. */
export type GivenBack = { why: string; orderly: boolean };

/** Why a lease is over. Only with `mayReport` is its end still told, where that is known here. */
export type Fence = { code: FenceCode; mayReport: boolean };

/** What the session with the control plane needs from this host's attempts. */
export interface AttemptPort {
  slots(): z.infer<typeof Slots>;
  /** The inventory: journal and labelled containers, including ones that are ending. */
  held(): HeldItem[];
  load(): Load;
  /** Handles an offer; the lease is on disk when this returns `accepted`. */
  offer(offer: ControlPlaneMessageOf<'offer'>): OfferAnswer;
  granted(grant: ControlPlaneMessageOf<'granted'>): void;
  /** True until `granted` arrives: `accept` must be repeated. */
  awaitsGrant(ref: LeaseRef): boolean;
  /** The grant's token is not known to this process: `accept` requests a new one. */
  needsToken(ref: LeaseRef): boolean;
  keep(verdict: KeepVerdict): void;
  /**
   * This attempt's messages can never be accepted, for the reason `why`, so its lease is released.
   */
  refused(attemptId: string, why: string): void;
  /** The lease is over by a proven mismatch: ends its container, sends no more than `fence` allows. */
  fenced(ref: LeaseRef, fence: Fence): void;
  /** The lease of the whole runner expired. */
  leaseExpired(): void;
  /** First welcome of this process: leases without a verdict may be reaped. */
  welcomed(): void;
  /** Ends of leases that wait for `finished`. */
  finishes(): Finish[];
  finished(ref: LeaseRef): void;
  drain(deadlineMs: number): void;
  /** Cancels the drain order, unless work is already being released. */
  undrain(): void;
  draining(): boolean;
}
