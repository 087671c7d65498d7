import type { Attempt, AttemptOutcome } from '../api/work/attempt.ts';
import type { IssueDetail, IssueStatus } from '../api/work/issue.ts';
import type { ReasonCode } from '../api/work/reason-code.ts';
import { isUnfinished } from './explain-reason.ts';

type AttemptStatusLine = {
  /** The mark of the state, as for a status. */
  mark: Attempt['status'] | 'blocked' | 'retrying';
  word: string;
  tone: 'good' | 'warning' | 'bad' | 'quiet';
};

/**
 * Reasons of an issue that stopped because of what its newest attempt delivered, or failed to
 * deliver.
 */
const OF_ITS_WORK: ReadonlySet<ReasonCode | null> = new Set<ReasonCode>([
  ...(['agent_blocked', 'delivery_error', 'delivery_refused', 'work_refused'] as const),
  ...(['checks_failed', 'pull_request_closed', 'pull_request_missing'] as const),
  'feedback_limit',
]);

const MESSAGES: Readonly<Record<AttemptOutcome, string>> = {
  completed: 'completed',
  failed: 'failed',
  oom: 'out of memory',
  stalled: 'stalled',
  cancelled: 'stopped',
};

/** Text for an outcome; an outcome of a newer service keeps its name. */
const labelOf = (outcome: string): string =>
  Object.hasOwn(MESSAGES, outcome) ? MESSAGES[outcome as AttemptOutcome] : outcome;

/** Status of an issue in one word. */
export const statusLabel = (status: IssueStatus): string =>
  status === 'cancelled' ? MESSAGES.cancelled : status;

type Shown = Pick<Attempt, 'outcome' | 'reasonCode'> & Partial<Pick<Attempt, 'marker'>>;

/**
 * How an attempt ended, as one word and a tone: a normal end of its turns does not mean that the
 * work is done.
 */
export function endedStatus(attempt: Shown): AttemptStatusLine {
  const { outcome, reasonCode, marker } = attempt;
  if (outcome === 'completed') {
    if (isUnfinished(reasonCode)) return { mark: 'retrying', word: 'unfinished', tone: 'warning' };
    const isBlocked = marker === 'BLOCKED' || OF_ITS_WORK.has(reasonCode);
    if (isBlocked) return { mark: 'blocked', word: 'blocked', tone: 'warning' };
    return { mark: 'completed', word: labelOf(outcome), tone: 'good' };
  }
  const word = labelOf(outcome ?? '');
  if (outcome === 'cancelled') return { mark: 'cancelled', word, tone: 'quiet' };
  return { mark: 'failed', word, tone: 'bad' };
}

type Issue = Pick<IssueDetail, 'status' | 'reasonCode'> & {
  attempts: readonly Pick<Attempt, 'attemptId'>[];
};

/** Whether a stop was requested and the runner has not confirmed it yet. */
export function isStopping({
  status,
  stopRequestedAt = null,
}: Pick<Attempt, 'status' | 'stopRequestedAt'>): boolean {
  return status === 'running' && stopRequestedAt !== null;
}

/**
 * State of an attempt. `issue`, where it is given, shows what became of the work: the newest
 * attempt of an issue that stopped because of it is no success.
 */
export function attemptStatus(
  attempt: Shown & Pick<Attempt, 'attemptId' | 'status' | 'stopRequestedAt'>,
  issue?: Issue,
): AttemptStatusLine {
  const { outcome, status } = attempt;
  if (outcome === null) {
    const word = isStopping(attempt) ? 'stopping' : status;
    return { mark: status, word, tone: 'quiet' };
  }
  const ended = endedStatus(attempt);
  const isNewest = issue?.attempts[0]?.attemptId === attempt.attemptId;
  const stopped = issue?.status === 'blocked' || issue?.status === 'failed';
  if (ended.tone !== 'good' || !isNewest || !stopped) return ended;
  return OF_ITS_WORK.has(issue.reasonCode)
    ? { mark: 'blocked', word: 'blocked', tone: 'warning' }
    : ended;
}
