/** A run that starts at most this late is on time: the coordinator may have been busy. */
const ON_TIME_MS = 60_000;

export type DueView = {
  nextRunAtMs: number | null;
  nowMs: number;
  /** Identifier or id of the run in progress; null when there is none. */
  running: string | null;
  missedRunPolicy: 'run_once' | 'skip';
  /** Any missed due time, not only the first, is within the grace period. */
  withinGrace: boolean;
  paused: boolean;
};

export type DueDecision =
  | { kind: 'wait' }
  | { kind: 'start'; trigger: 'schedule' | 'missed' }
  | { kind: 'skip'; reason: string };

/**
 * Decides what happens with a schedule that is due. Several missed times count as one, which is
 * made up for within the grace period or skipped.
 */
export function decideDue(view: DueView): DueDecision {
  if (view.nextRunAtMs === null || view.nextRunAtMs > view.nowMs) return { kind: 'wait' };
  const lateMs = view.nowMs - view.nextRunAtMs;
  const missed = lateMs > ON_TIME_MS;
  if (missed && view.missedRunPolicy === 'skip') {
    return { kind: 'skip', reason: `missed by ${durationWords(lateMs)}; the next time counts` };
  }
  if (missed && !view.withinGrace) {
    return { kind: 'skip', reason: `missed by ${durationWords(lateMs)}: too late to make up for` };
  }
  if (view.paused) return { kind: 'skip', reason: 'the service is paused' };
  if (view.running !== null) {
    return { kind: 'skip', reason: `the run before it is still under way (${view.running})` };
  }
  return { kind: 'start', trigger: missed ? 'missed' : 'schedule' };
}

export type WorkView = {
  mode: 'implement' | 'report';
  ageMs: number;
  /** The issue; null when it is not recorded (yet). */
  issue: { status: string; reason: string | null; active: boolean } | null;
};

export type WorkDecision =
  | { kind: 'wait' }
  | { kind: 'end'; status: 'completed' | 'failed'; message: string };

/** How long a new issue of another tracker may take to be recorded by a sync. */
const UNSEEN_MS = 3_600_000;
const LONGEST_RUN_MS = 7 * 86_400_000;

/** Whether the issue of a run is finished, and how. */
export function decideWork({ ageMs, issue }: WorkView): WorkDecision {
  if (ageMs > LONGEST_RUN_MS)
    return failed('not settled after 7 days; the issue goes on by itself');
  if (issue === null) {
    return ageMs > UNSEEN_MS ? failed('the tracker does not show the issue') : { kind: 'wait' };
  }
  const why = issue.reason === null ? '' : `: ${issue.reason}`;
  switch (issue.status) {
    case 'completed':
      return { kind: 'end', status: 'completed', message: issue.reason ?? 'completed' };
    case 'failed':
      return failed(`the issue failed${why}`);
    case 'cancelled':
      return failed(`the issue was stopped${why}`);
    case 'blocked':
      return failed(`the issue is blocked${why}`);
    case 'idle':
      return issue.active ? { kind: 'wait' } : failed(`the issue was taken out of work${why}`);
    default:
      return { kind: 'wait' };
  }
}

function failed(message: string): WorkDecision {
  return { kind: 'end', status: 'failed', message };
}

function durationWords(ms: number): string {
  const minutes = Math.round(ms / 60_000);
  return minutes < 120 ? `${minutes} min` : `${Math.round(minutes / 60)} h`;
}
