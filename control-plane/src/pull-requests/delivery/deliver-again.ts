import type { FailureKind } from '@switchyard/shared/api/work/attempt';
import type { PullRequest } from '@switchyard/shared/api/work/pull-request';
import { and, eq, inArray } from 'drizzle-orm';
import { performNow } from '../../jobs/queue/perform-now.ts';
import type { Statement } from '../../db/database.ts';
import { checksFailed } from '../../attempts/checks/checks-failed.ts';
import { updateAttempt } from '../../attempts/rows/update-attempt.ts';
import { expectRowsAffected } from '../../db/commit-steps.ts';
import type { Caller } from '../../http/caller/caller.ts';
import { currentAttempt } from '../../attempts/queries.ts';
import { type AttemptRow, attempts } from '../../db/schema/work/attempts.ts';
import type { IssueRow } from '../../db/schema/work/issues.ts';
import type { Deps } from '../../deps.ts';
import { AppError } from '../../errors.ts';
import { setIssueStatus } from '../../issues/set-issue-status.ts';
import { issueById, requireIssue } from '../../issues/queries.ts';
import type { DeliveryDeps } from './connect-delivery.ts';
import { deliverForPerson } from './deliver-work.ts';
import { keepPullRequest, moveToReview, notifyOfPullRequest } from './keep-pull-request.ts';

/** Failures after which the work is kept and can be delivered without an agent. */
const UNDELIVERED: FailureKind[] = ['delivery_refused', 'delivery_error'];
const MAX_TRIES = 5;

/**
 * Retries only the delivery of work that was refused or given up: pushes the kept commit and opens
 * the pull request. No agent runs. Throws a 409 when nothing waits for delivery, a 503 without a
 * runner, a 502 with the code host's message when it refuses again.
 */
export async function deliverAgain(
  deps: DeliveryDeps,
  input: { identifier: string; caller: Caller },
): Promise<PullRequest> {
  const issue = await requireIssue(deps.db, input.identifier);
  const { caller } = input;
  const { attempt_id: attemptId } = await undelivered(deps.db, issue);
  const wish = {
    key: `${attemptId}:deliver-again`,
    effect: { kind: 'codehost.deliver_again', caller } as const,
    subject: { tracker: issue.tracker, issueId: issue.id, attemptId },
  };
  const pullRequest = await performNow(deps, wish, (done) =>
    deliverAndRecord(deps, issue, caller, [done]),
  );
  deps.wake();
  return pullRequest;
}

async function undelivered(db: Deps['db'], issue: IssueRow): Promise<AttemptRow> {
  const attempt = await currentAttempt(db, issue);
  const { failure_kind: kind = null, base_commit: baseCommit = null } = attempt ?? {};
  // A base commit is recorded only for work that may be delivered.
  const isKept = kind !== null && UNDELIVERED.includes(kind) && baseCommit !== null;
  // A stopped issue keeps its undelivered work.
  const waits = issue.status === 'blocked' || issue.status === 'cancelled';
  if (waits && attempt !== null && isKept) {
    await refuseFailed(db, attempt);
    return attempt;
  }
  const message = `no delivery of ${issue.identifier} waits to be repeated; retry it to do the work anew`;
  throw new AppError('conflict', message);
}

/** Refuses work whose checks failed: delivering it would present it as ready. */
async function refuseFailed(db: Deps['db'], attempt: AttemptRow): Promise<void> {
  const { epoch, commit_sha: commitSha, identifier } = attempt;
  const failed = await checksFailed(db, attempt, { epoch, commitSha });
  if (failed.length === 0 && attempt.reason_code !== 'checks_failed') return;
  const why = `the work of ${identifier} failed checks of its repository`;
  const names = failed.length === 0 ? '' : ` (${failed.join(', ')})`;
  const next = 'comment how to go on or retry it, or deliver it as a draft';
  throw new AppError('conflict', `${why}${names}; ${next}`, { reason: 'checks_failed' });
}

/**
 * The work of `deliverAgain`, also run by the job when the original request was cut off. The
 * statements in `done` complete the effect in the batch that records the result.
 */
export async function deliverAndRecord(
  deps: DeliveryDeps,
  issue: IssueRow,
  caller: Caller,
  done: readonly Statement[],
): Promise<PullRequest> {
  const kept = await undelivered(deps.db, issue);
  const push = { isDelivered: true };
  const { pullRequest, ...where } = await deliverForPerson(deps, kept, issue, { push });
  const attempt = { ...kept, ...where };
  const { attempt_id: attemptId, branch } = attempt;
  const { url } = pullRequest;
  const nowMs = deps.clock.nowMs();
  const completed = completeAttempt(deps.db, attempt, url);
  const also = [...notifyOfPullRequest(deps.db, nowMs, attempt, pullRequest), ...done];
  const audit = { caller, operation: 'issue.deliver', subject: issue.identifier };
  const review = moveToReview(deps.db, nowMs, attempt);
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const now = await issueById(deps.db, issue);
    if (now === null || hasGoneOn(now, issue)) break;
    const committed = await setIssueStatus(deps, {
      issue: now,
      status: 'completed',
      reason: 'pull request opened',
      code: 'pull_request_opened',
      set: { pull_request_url: url, branch, failure_count: 0 },
      also: [expectRowsAffected(completed), review, ...also],
      audit,
    });
    if (committed) return pullRequest;
  }
  const opened = { attemptId, url, branch };
  await keepPullRequest(deps, issue, opened, { also: [completed, ...also], audit });
  return pullRequest;
}

/** Whether the issue changed since its delivery began; a newer change is not overwritten. */
function hasGoneOn(now: IssueRow, before: IssueRow): boolean {
  const { status, current_attempt_id: attemptId, workspace_key: key } = before;
  const isAsBefore = now.status === status && now.current_attempt_id === attemptId;
  return !isAsBefore || now.workspace_key !== key;
}

/** The statement that completes an attempt as if its first delivery had succeeded. */
function completeAttempt(db: Deps['db'], attempt: AttemptRow, url: string): Statement {
  const { branch, base_branch: baseBranch } = attempt;
  const change = {
    status: 'completed',
    outcome: 'completed',
    marker: 'DONE',
    reason_code: 'pull_request_opened',
    failure_kind: null,
    error_message: null,
    pull_request_url: url,
    branch,
    base_branch: baseBranch,
  } as const;
  const isUndelivered = inArray(attempts.failure_kind, UNDELIVERED);
  return updateAttempt(db, attempt, change, and(eq(attempts.status, 'failed'), isUndelivered));
}
