import { KIND_RULES } from '@switchyard/shared/attempts/kind-rules';
import type { AttemptKind } from '@switchyard/shared/api/work/attempt';
import type { ReasonCode } from '@switchyard/shared/api/work/reason-code';
import type { IssueStatus } from '@switchyard/shared/api/work/issue';

/** The fields of a recorded issue that decide what a change in the tracker means. */
export type KnownIssue = {
  status: IssueStatus;
  state: string;
  parkedFingerprint: string | null;
  /** The issue waits for something that matters only while it is in an active state. */
  waitsToStart: boolean;
  /** The issue waits for a person's decision about its plan. */
  waitsForPlan: boolean;
  /** The issue is queued for its pull request's merge or review, which no active state is needed for. */
  isForPullRequest: boolean;
  /**
   * How often changes in the tracker have recently started the issue, with no person's action here
   * since.
   */
  trackerStarts: number;
};

/** Limit on starts caused by tracker changes alone within the period below. */
export const MAX_TRACKER_STARTS = 3;
export const TRACKER_STARTS_WITHIN_MS = 86_400_000;

/**
 * The live attempt; `delivering`: also one that is no try of the work, whose issue waits in review.
 * Null when none is live.
 */
export type LiveAttempt = { delivering: boolean } | null;

/** A live attempt as decisions about a change in the tracker see it. */
export function liveAttemptOf({
  phase,
  kind,
}: {
  phase: string | null;
  kind: AttemptKind;
}): NonNullable<LiveAttempt> {
  return { delivering: phase === 'delivering' || !KIND_RULES[kind].isTry };
}

/** What the tracker shows of the issue now. */
export type TrackerView =
  | {
      kind: 'present';
      state: string;
      active: boolean;
      terminal: boolean;
      fingerprint: string;
      /** Why this service must not work on the issue; null or left out: it may. */
      unroutable?: string | null;
    }
  /**
   * The tracker does not return the issue. `why` says why the tracker is no longer queried for it,
   * for people; null or left out: it was queried and does not have the issue.
   */
  | { kind: 'gone'; why?: string | null }
  /** The tracker reuses the issue's id for another issue. */
  | { kind: 'other' };

export type TrackerChange = {
  /** Stop the live attempt with this reason; null: leave it. */
  stop: { reason: string; code: ReasonCode } | null;
  /**
   * New status; null keeps the present one. A stopped attempt sets the status when it has ended.
   */
  status: IssueStatus | null;
  reason: string | null;
  code: ReasonCode | null;
  /** The issue was changed while parked, or replaced by another: its retries count from zero. */
  wake: boolean;
  /** Fingerprint that later syncs compare with; null keeps the stored one. */
  parkedFingerprint: string | null;
};

const NOTHING: TrackerChange = {
  stop: null,
  status: null,
  reason: null,
  code: null,
  wake: false,
  parkedFingerprint: null,
};
/**
 * Why no work is done on an issue that its tracker does not return. `why` is set when the tracker
 * was not queried for it.
 */
export function goneWhy(why: string | null): { reason: string; code: ReasonCode } {
  if (why !== null) return { reason: why, code: 'tracker_excluded' };
  return { reason: 'the issue is no longer in the tracker', code: 'tracker_gone' };
}
const OTHER = 'another issue stands under its number in the tracker';
const PARKED: ReadonlySet<IssueStatus> = new Set(['completed', 'failed', 'blocked', 'cancelled']);
const WAITING: ReadonlySet<IssueStatus> = new Set(['queued', 'retrying']);

/** Decides what a sync with the tracker changes for an issue. Source: decisions, Dispatch rules. */
export function decideTrackerChange(
  known: KnownIssue,
  live: LiveAttempt,
  view: TrackerView,
): TrackerChange {
  if (view.kind === 'other') {
    const why = { reason: OTHER, code: 'tracker_replaced' } as const;
    const wake = !isSpent(known);
    if (live !== null) return { ...NOTHING, stop: why, ...why, wake };
    return wake ? { ...NOTHING, status: 'idle', ...why, wake } : held(known, null);
  }
  const unroutable = view.kind === 'present' ? (view.unroutable ?? null) : null;
  if (view.kind === 'present' && view.active && !view.terminal && unroutable === null) {
    return whileActive(known, view);
  }
  const why = whyInactive(view, unroutable);
  // A move to review while the attempt delivers, made by this service or another tool, stops
  // nothing.
  const isOver = view.kind === 'gone' || view.terminal;
  if (live !== null) return live.delivering && !isOver ? NOTHING : { ...NOTHING, stop: why };
  const staysQueued = known.isForPullRequest && !isOver && unroutable === null;
  const waits =
    (!staysQueued &&
      (WAITING.has(known.status) || (known.status === 'idle' && known.waitsToStart))) ||
    // A plan may wait in any state, but for nothing once its issue is over.
    (known.waitsForPlan && (isOver || unroutable !== null));
  if (waits) return { ...NOTHING, status: 'idle', ...why };
  if (view.kind === 'gone' || !changedWhileParked(known, view)) return NOTHING;
  // Stored while the issue is inactive, so that moving it back later counts as a change.
  return { ...NOTHING, parkedFingerprint: view.fingerprint };
}

/** Why the tracker was not queried for the issue; null when it was. */
export function whyUnasked(view: TrackerView): string | null {
  return view.kind === 'gone' ? (view.why ?? null) : null;
}

function whyInactive(
  view: Extract<TrackerView, { kind: 'present' | 'gone' }>,
  unroutable: string | null,
): { reason: string; code: ReasonCode } {
  if (view.kind === 'gone') return goneWhy(whyUnasked(view));
  return unroutable === null
    ? { reason: `moved to ${view.state} in the tracker`, code: 'tracker_moved' }
    : { reason: unroutable, code: 'tracker_excluded' };
}

function whileActive(
  known: KnownIssue,
  view: Extract<TrackerView, { kind: 'present' }>,
): TrackerChange {
  if (!changedWhileParked(known, view)) return NOTHING;
  // A plan is not made anew by itself: it is shown as made for an earlier text of the issue.
  if (known.waitsForPlan) return { ...NOTHING, parkedFingerprint: view.fingerprint };
  if (isSpent(known)) return held(known, view);
  return {
    ...NOTHING,
    status: 'idle',
    reason: 'changed in the tracker',
    code: 'tracker_changed',
    wake: true,
  };
}

function isSpent({ trackerStarts }: KnownIssue): boolean {
  return trackerStarts >= MAX_TRACKER_STARTS;
}

/**
 * Blocks an issue that tracker changes have started too often: an automation in the tracker may
 * cause them endlessly, so a person must decide. An issue that is already blocked keeps its reason.
 */
function held(
  { status, trackerStarts, waitsForPlan }: KnownIssue,
  view: Extract<TrackerView, { kind: 'present' }> | null,
): TrackerChange {
  const seen = { ...NOTHING, parkedFingerprint: view?.fingerprint ?? null };
  if (status === 'blocked' && !waitsForPlan) return seen;
  const what = view === null ? OTHER : `changed in the tracker again (${view.state})`;
  const reason = `${what}, after ${trackerStarts} starts in 24 hours that nobody asked for here`;
  return { ...seen, status: 'blocked', reason, code: 'tracker_starts_used' };
}

function changedWhileParked(known: KnownIssue, view: { fingerprint: string }): boolean {
  const { parkedFingerprint } = known;
  if (!PARKED.has(known.status) || parkedFingerprint === null) return false;
  return parkedFingerprint !== view.fingerprint;
}
