import type { IssueStatus } from '@switchyard/shared/api/work/issue';

/** One item of feedback on a pull request, as far as decisions need it. */
export type FeedbackEntry = {
  key: string;
  kind: 'check' | 'review' | 'comment' | 'conflict' | 'finding';
  atMs: number;
};

type PullRequestStatus = 'open' | 'merged' | 'closed' | 'missing';

export type FeedbackInput<Item extends FeedbackEntry> = {
  /** The issue; null when it no longer exists. */
  issue: { status: IssueStatus; outOfBudget: boolean } | null;
  view: { status: PullRequestStatus; pendingChecks: number; items: readonly Item[] };
  /** Keys of feedback that was used before, or that an agent received while it worked. */
  known: ReadonlySet<string>;
  /** Keys of messages that are being delivered to the present attempt. */
  underWay: ReadonlySet<string>;
  /** Number of attempts that feedback on this pull request has started. */
  rounds: number;
  maxRounds: number;
  nowMs: number;
};

export type FeedbackDecision<Item extends FeedbackEntry> =
  | { kind: 'nothing' }
  | { kind: 'ended' }
  /** The pull request cannot be found: people are notified, and nothing else changes. */
  | { kind: 'missing' }
  /** Forwards people's messages to the running attempt. */
  | { kind: 'steer'; items: Item[] }
  /** Starts an attempt with this feedback. */
  | { kind: 'start'; items: Item[] }
  /** There is feedback, but the limit of attempts is reached. */
  | { kind: 'limit'; items: Item[] };

const WORKED_ON: ReadonlySet<IssueStatus> = new Set(['queued', 'running', 'retrying']);
/**
 * How long a failed check waits for checks that still run, so that one attempt handles all
 * failures.
 */
const CHECKS_WAIT_MS = 10 * 60_000;

/**
 * Decides how feedback on a pull request is handled. While an attempt works on the issue, people's
 * messages go to its agent at once. Everything else waits until the attempt has ended and is then
 * decided by the next sync, together with messages that no turn received.
 */
export function decideFeedback<Item extends FeedbackEntry>(
  input: FeedbackInput<Item>,
): FeedbackDecision<Item> {
  const { issue, view, known, nowMs } = input;
  if (view.status === 'missing') return { kind: 'missing' };
  if (view.status !== 'open') return { kind: 'ended' };
  if (issue === null || issue.outOfBudget) return { kind: 'nothing' };
  const fresh = view.items.filter(({ key }) => !known.has(key));
  if (WORKED_ON.has(issue.status)) {
    const messages = fresh.filter(({ key, kind }) => isByPerson(kind) && !input.underWay.has(key));
    return messages.length === 0 ? { kind: 'nothing' } : { kind: 'steer', items: messages };
  }
  const items = fresh.filter(({ kind }) => mayWake(issue.status, kind));
  if (items.length === 0) return { kind: 'nothing' };
  const onlyChecks = items.every(({ kind }) => kind === 'check');
  const isRecent = items.every(({ atMs }) => nowMs - atMs < CHECKS_WAIT_MS);
  if (onlyChecks && view.pendingChecks > 0 && isRecent) return { kind: 'nothing' };
  return { kind: input.rounds < input.maxRounds ? 'start' : 'limit', items };
}

/**
 * Whether feedback starts work again: people's on a delivered, blocked or failed issue, automatic
 * feedback only on a delivered one. A cancelled issue stays cancelled.
 */
function mayWake(status: IssueStatus, kind: FeedbackEntry['kind']): boolean {
  if (status === 'completed') return true;
  return isByPerson(kind) && (status === 'blocked' || status === 'failed');
}

function isByPerson(kind: FeedbackEntry['kind']): boolean {
  return kind === 'review' || kind === 'comment';
}
