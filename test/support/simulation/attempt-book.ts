import { isFailing } from './is-failing.ts';
import type { ControlPlaneMessage, RunnerMessage } from '@switchyard/shared/protocol/messages';

type Finish = Extract<RunnerMessage, { type: 'finish' }>;
export type Offer = Extract<ControlPlaneMessage, { type: 'offer' }>;

/** What one lease told of its tokens. */
export type LeaseUsage = {
  /** What its thread had used when the lease took it over. */
  before: number;
  /** Absolute totals of the thread, by the number of the event that told them. */
  totals: Map<number, number>;
};

/** What crossed the wire about one attempt. */
export type AttemptBook = {
  attemptId: string;
  issueId: string;
  identifier: string;
  number: number;
  /** As its newest offer has it. */
  spec: Offer['spec'];
  maxEpoch: number;
  grantedTo: Map<number, string>;
  said: Map<string, Set<string>>;
  acked: Map<number, number>;
  usage: Map<number, LeaseUsage>;
  /** Leases that their runner was told are lost: it may tell its end, and no events any more. */
  lost: Set<number>;
  heardFinish: Map<number, { finish: Finish; atMs: number }>;
  finished: boolean;
  cancelReason: string | null;
  /** Number of the event that keeps finished work where any runner finds it, by lease. */
  keptWork: Map<number, number>;
  /** The lease under which a commit was about to be delivered. */
  leaseOf: Map<string, number>;
  /** Whether the last run of a declared check failed, by lease and name, with the number of its event. */
  checks: Map<number, Map<string, { seq: number; failing: boolean }>>;
};

export function openBook({ attemptId, epoch, spec }: Offer): AttemptBook {
  return {
    attemptId,
    issueId: spec.issue.id,
    identifier: spec.issue.identifier,
    number: spec.number,
    spec,
    maxEpoch: epoch,
    grantedTo: new Map(),
    said: new Map(),
    acked: new Map(),
    usage: new Map(),
    lost: new Set(),
    heardFinish: new Map(),
    finished: false,
    cancelReason: null,
    keptWork: new Map(),
    leaseOf: new Map(),
    checks: new Map(),
  };
}

/** Keeps what an event tells of a declared check. */
export function noteCheck(
  book: AttemptBook,
  epoch: number,
  { seq, payload }: { seq: number; payload: Record<string, unknown> },
): void {
  const ofLease = book.checks.get(epoch) ?? new Map<string, { seq: number; failing: boolean }>();
  const name = String(payload['name']);
  if ((ofLease.get(name)?.seq ?? 0) < seq) ofLease.set(name, { seq, failing: isFailing(payload) });
  book.checks.set(epoch, ofLease);
}

/** Whether a declared check failed under a lease, as far as it was heard. */
export function hasFailedCheck(book: AttemptBook, epoch: number): boolean {
  return [...(book.checks.get(epoch)?.values() ?? [])].some(({ failing }) => failing);
}

/** Keeps what an event tells of tokens. */
export function noteUsage(
  book: AttemptBook,
  epoch: number,
  { seq, kind, payload }: { seq: number; kind: string; payload: Record<string, unknown> },
): void {
  if (kind !== 'usage') return;
  const { own, totals } = payload as { own?: { total: number }; totals: { total: number } };
  const before = own === undefined ? 0 : totals.total - own.total;
  const known = book.usage.get(epoch) ?? { before, totals: new Map<number, number>() };
  known.totals.set(seq, totals.total);
  book.usage.set(epoch, known);
}

/**
 * Tokens that a lease used, told by the total of its thread up to an event. What it used later and
 * could not say before it was lost is known to nobody.
 */
export function usedByLease({ before, totals }: LeaseUsage, uptoSeq = Infinity): number {
  const told = [...totals].filter(([seq]) => seq <= uptoSeq).map(([, total]) => total);
  return Math.max(before, ...told) - before;
}
