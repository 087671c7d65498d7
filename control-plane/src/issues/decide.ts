import type { ReasonCode } from '@switchyard/shared/api/work/reason-code';
import type { IssueStatus } from '@switchyard/shared/api/work/issue';

/** What the orchestrator knows of an issue, as far as a change in the tracker concerns it. */
export type KnownIssue = {
  status: IssueStatus;
  state: string;
  parkedFingerprint: string | null;
  /** It waits for something that only an issue in an active state waits for. */
  waitsToStart: boolean;
  /** Changes seen in the tracker that have started it again of late, with no word of a person since. */
  trackerStarts: number;
};

/** So often within the time below work starts again because of what the tracker shows alone. */
export const MAX_TRACKER_STARTS = 3;
export const TRACKER_STARTS_WITHIN_MS = 86_400_000;

/** Phase of the live attempt; null when none is live. */
export type LiveAttempt = { delivering: boolean } | null;

/** What the tracker says now; `gone` when it no longer knows the issue. */
export type TrackerView =
  | {
      kind: 'present';
      state: string;
      active: boolean;
      terminal: boolean;
      fingerprint: string;
      /** Why it is not for this service to work on; null or left out: it is. */
      unroutable?: string | null;
    }
  /** `why`: it was not asked for, in words; null or left out: it was. */
  | { kind: 'gone'; why?: string | null }
  /** Another issue stands under its number. */
  | { kind: 'other' };

export type TrackerChange = {
  /** Ask the live attempt to stop, with this reason. */
  stop: { reason: string; code: ReasonCode } | null;
  /** New status; null keeps it. A stopped attempt sets its own when it has ended. */
  status: IssueStatus | null;
  reason: string | null;
  code: ReasonCode | null;
  /** A person changed a parked issue: retries start afresh. */
  wake: boolean;
  /** What is compared with from now on; null keeps it. */
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
/** Why nothing is done about an issue that its tracker does not show; `why`: it was not asked for. */
export function goneWhy(why: string | null): { reason: string; code: ReasonCode } {
  if (why !== null) return { reason: why, code: 'tracker_excluded' };
  return { reason: 'the issue is no longer in the tracker', code: 'tracker_gone' };
}
const OTHER = 'another issue stands under its number in the tracker';
const PARKED: ReadonlySet<IssueStatus> = new Set(['completed', 'failed', 'blocked', 'cancelled']);
const WAITING: ReadonlySet<IssueStatus> = new Set(['queued', 'retrying']);

/** Decides what a look at the tracker means for an issue. Source: decisions, Dispatch rules. */
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
  // A move to review comes while the attempt delivers, ours or of a tool beside us: that stops nothing.
  const isOver = view.kind === 'gone' || view.terminal;
  if (live !== null) return live.delivering && !isOver ? NOTHING : { ...NOTHING, stop: why };
  const waits = WAITING.has(known.status) || (known.status === 'idle' && known.waitsToStart);
  if (waits) return { ...NOTHING, status: 'idle', ...why };
  if (view.kind === 'gone' || !changedWhileParked(known, view)) return NOTHING;
  // Remembered while it rests, so that moving it back to where it was wakes it.
  return { ...NOTHING, parkedFingerprint: view.fingerprint };
}

/** Null: the tracker was asked for it. */
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
 * Whoever changes it in the tracker may be a rule or a tool there, which never tires: a person has to
 * say that work shall go on. What is blocked already keeps its own reason.
 */
function held(
  { status, trackerStarts }: KnownIssue,
  view: Extract<TrackerView, { kind: 'present' }> | null,
): TrackerChange {
  const seen = { ...NOTHING, parkedFingerprint: view?.fingerprint ?? null };
  if (status === 'blocked') return seen;
  const what = view === null ? OTHER : `changed in the tracker again (${view.state})`;
  const reason = `${what}, after ${trackerStarts} starts in 24 hours that nobody asked for here`;
  return { ...seen, status: 'blocked', reason, code: 'tracker_starts_used' };
}

function changedWhileParked(known: KnownIssue, view: { fingerprint: string }): boolean {
  const { parkedFingerprint } = known;
  if (!PARKED.has(known.status) || parkedFingerprint === null) return false;
  return parkedFingerprint !== view.fingerprint;
}
