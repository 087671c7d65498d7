import type { IssueStatus } from '@switchyard/shared/api/work/issue';

/** What a pull request's host says about our work, as far as it is decided upon. */
export type FeedbackEntry = {
  key: string;
  kind: 'check' | 'review' | 'comment' | 'conflict';
  atMs: number;
};

type PullRequestStatus = 'open' | 'merged' | 'closed' | 'missing';

export type FeedbackInput<Item extends FeedbackEntry> = {
  /** Null: the issue is gone. */
  issue: { status: IssueStatus; outOfBudget: boolean } | null;
  view: { status: PullRequestStatus; pendingChecks: number; items: readonly Item[] };
  /** Keys of what was material before, or was heard by an agent while it worked. */
  known: ReadonlySet<string>;
  /** Keys of words that are on their way to the present attempt. */
  underWay: ReadonlySet<string>;
  /** Attempts that feedback on this pull request has started. */
  rounds: number;
  maxRounds: number;
  nowMs: number;
};

export type FeedbackDecision<Item extends FeedbackEntry> =
  | { kind: 'nothing' }
  | { kind: 'ended' }
  /** It is to be there and is not: people are told, and nothing else changes. */
  | { kind: 'missing' }
  /** A person's words for the attempt that is under way. */
  | { kind: 'steer'; items: Item[] }
  /** Starts an attempt with this material. */
  | { kind: 'start'; items: Item[] }
  /** There is material, but no attempt is left. */
  | { kind: 'limit'; items: Item[] };

const WORKED_ON: ReadonlySet<IssueStatus> = new Set(['queued', 'running', 'retrying']);
/** A failed check waits so long for those that still run: one attempt hears of all of them. */
const CHECKS_WAIT_MS = 10 * 60_000;

/**
 * Decides what becomes of what was said on one of our pull requests. While its issue is worked on,
 * people's words go to the agent at once; everything else waits, and what still holds afterwards is
 * seen with the next look, words among it that no turn took.
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
    const words = fresh.filter(({ key, kind }) => isByPerson(kind) && !input.underWay.has(key));
    return words.length === 0 ? { kind: 'nothing' } : { kind: 'steer', items: words };
  }
  const items = fresh.filter(({ kind }) => mayWake(issue.status, kind));
  if (items.length === 0) return { kind: 'nothing' };
  const onlyChecks = items.every(({ kind }) => kind === 'check');
  const isRecent = items.every(({ atMs }) => nowMs - atMs < CHECKS_WAIT_MS);
  if (onlyChecks && view.pendingChecks > 0 && isRecent) return { kind: 'nothing' };
  return { kind: input.rounds < input.maxRounds ? 'start' : 'limit', items };
}

/** People wake what is blocked or failed; machines only what was delivered. Aborted stays aborted. */
function mayWake(status: IssueStatus, kind: FeedbackEntry['kind']): boolean {
  if (status === 'completed') return true;
  return isByPerson(kind) && (status === 'blocked' || status === 'failed');
}

function isByPerson(kind: FeedbackEntry['kind']): boolean {
  return kind === 'review' || kind === 'comment';
}
