import type { Attempt, TokenUsage } from '@switchyard/shared/api/work/attempt';
import type { Checkpoint } from '@switchyard/shared/api/work/checkpoint';
import type { IssueDetail } from '@switchyard/shared/api/work/issue';

/** An attempt that tells what it used itself. */
export type OwnAttempt = Attempt & {
  /** Tokens that attempts before it had used on the same thread. */
  tokensBefore: number;
};

export type ShownIssue = Omit<IssueDetail, 'attempts'> & { attempts: OwnAttempt[] };

/**
 * The service tells what a thread has used so far. An attempt that went on with the thread of
 * another one is shown with what it added to that.
 */
export function withOwnUsage(issue: IssueDetail): ShownIssue {
  const oldestFirst = issue.attempts.toSorted((a, b) => a.number - b.number);
  const reached = new Map<string, Attempt>();
  const own = new Map<string, OwnAttempt>();
  for (const attempt of oldestFirst) {
    const { threadId } = attempt;
    const before = threadId === null ? undefined : reached.get(threadId);
    own.set(attempt.attemptId, addedTo(before, attempt));
    const isMore = attempt.tokens.total >= (before?.tokens.total ?? 0);
    if (threadId !== null && isMore) reached.set(threadId, attempt);
  }
  return {
    ...issue,
    attempts: issue.attempts.flatMap(({ attemptId }) => own.get(attemptId) ?? []),
  };
}

function addedTo(before: Attempt | undefined, attempt: Attempt): OwnAttempt {
  if (before === undefined) return { ...attempt, tokensBefore: 0 };
  const costUsd =
    attempt.costUsd === null ? null : Math.max(0, attempt.costUsd - (before.costUsd ?? 0));
  const tokensBefore = before.tokens.total;
  return { ...attempt, tokens: less(attempt.tokens, before.tokens), costUsd, tokensBefore };
}

/** Never below nothing: one that ended early has not told anything yet. */
function less(tokens: TokenUsage, before: TokenUsage): TokenUsage {
  const rest = (part: keyof TokenUsage) => Math.max(0, tokens[part] - before[part]);
  return {
    input: rest('input'),
    cachedInput: rest('cachedInput'),
    output: rest('output'),
    reasoning: rest('reasoning'),
    total: rest('total'),
  };
}

/** Of what a thread had used at a checkpoint of the attempt, the part that is the attempt's own. */
export function ownTokensAt(
  checkpoint: Pick<Checkpoint, 'threadId' | 'tokens'>,
  attempt: Pick<OwnAttempt, 'threadId' | 'tokensBefore'>,
): number {
  const before = checkpoint.threadId === attempt.threadId ? attempt.tokensBefore : 0;
  return Math.max(0, checkpoint.tokens.total - before);
}
