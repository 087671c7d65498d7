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

/** Why a lease is given back; orderly: this host was told to, and nothing went wrong. */
export type GivenBack = { why: string; orderly: boolean };

/** Why a lease is over. Only with `mayReport` is its end still told, where that is known here. */
export type Fence = { code: FenceCode; mayReport: boolean };

/** What the session with the control plane needs from the attempts of this host. */
export interface AttemptPort {
  slots(): z.infer<typeof Slots>;
  /** Journal united with the labelled containers, dying ones included. */
  held(): HeldItem[];
  load(): Load;
  /** The lease is on disk when this returns `accepted`. */
  offer(offer: ControlPlaneMessageOf<'offer'>): OfferAnswer;
  granted(grant: ControlPlaneMessageOf<'granted'>): void;
  /** True while `granted` has not come: `accept` has to be said again. */
  awaitsGrant(ref: LeaseRef): boolean;
  /** A grant came, and its token is not known to this process: `accept` brings a new one. */
  needsToken(ref: LeaseRef): boolean;
  keep(verdict: KeepVerdict): void;
  /** The control plane will never take what this attempt says: it cannot end well any more. */
  refused(attemptId: string, why: string): void;
  /** Proven mismatch: this lease is over, kill its container, say nothing that the fence forbids. */
  fenced(ref: LeaseRef, fence: Fence): void;
  /** The lease of the whole runner ended without a renewal. */
  leaseExpired(): void;
  /** First welcome of this process: everything the verdicts did not keep may be reaped. */
  welcomed(): void;
  /** Ended leases that wait for `finished`. */
  finishes(): Finish[];
  finished(ref: LeaseRef): void;
  drain(deadlineMs: number): void;
  /** Takes the order to drain back, unless its work is being given back already. */
  undrain(): void;
  draining(): boolean;
}
