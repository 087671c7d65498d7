import type { PullRequest } from '@switchyard/shared/api/work/pull-request';
import { performNow } from '../../jobs/queue/perform-now.ts';
import type { Statement } from '../../db/database.ts';
import type { AttemptRow } from '../../db/schema/work/attempts.ts';
import type { IssueRow } from '../../db/schema/work/issues.ts';
import type { Caller } from '../../http/caller/caller.ts';
import { attemptById } from '../../attempts/queries.ts';
import { newestCheckpoint } from '../../attempts/checkpoints/queries.ts';
import { isOwnBranch } from '@switchyard/shared/branch/is-own-branch';
import type { Deps } from '../../deps.ts';
import { AppError } from '../../errors.ts';
import { notifyPullRequest } from '../../notifications/notify-attempt.ts';
import { requireIssue } from '../../issues/queries.ts';
import type { DeliveryDeps } from './connect-delivery.ts';
import { deliverForPerson, NO_CHANGE } from './deliver-work.ts';
import { keepPullRequest } from './keep-pull-request.ts';

/**
 * Makes a draft pull request of an issue's unfinished work. 409 while it runs, 404 when nothing was
 * saved, 503 without a runner, 502 when the code host fails.
 */
export async function publishIssue(
  deps: DeliveryDeps,
  input: { identifier: string; caller: Caller },
): Promise<PullRequest> {
  const { caller } = input;
  const issue = await requireIssue(deps.db, input.identifier);
  const { attempt } = await savedWork(deps.db, issue);
  const { attempt_id: attemptId } = attempt;
  const wish = {
    key: `publish:${issue.tracker}:${issue.id}`,
    effect: { kind: 'codehost.publish', caller } as const,
    subject: { tracker: issue.tracker, issueId: issue.id, attemptId },
  };
  const pullRequest = await performNow(deps, wish, (done) => publish(deps, issue, caller, [done]));
  deps.wake();
  return pullRequest;
}

async function savedWork(db: Deps['db'], issue: IssueRow) {
  if (issue.status === 'running')
    throw new AppError('conflict', `issue ${issue.identifier} is running; stop it first`);
  const checkpoint = await newestCheckpoint(db, issue);
  const attempt = checkpoint === null ? null : await attemptById(db, checkpoint.attempt_id);
  const isKept = Boolean(checkpoint?.commit_sha && checkpoint.base_commit);
  if (!checkpoint || !isKept || !attempt || !isOwnBranch(attempt.branch))
    throw new AppError('not_found', `saved work of ${issue.identifier} not found`);
  return { checkpoint, attempt };
}

/**
 * The work of `publishIssue`, also run by the job when the original request was cut off. The
 * statements in `done` complete the effect in the batch that records the result.
 */
export async function publish(
  deps: DeliveryDeps,
  issue: IssueRow,
  caller: Caller,
  done: readonly Statement[],
): Promise<PullRequest> {
  const { checkpoint, attempt } = await savedWork(deps.db, issue);
  const isDelivered = attempt.commit_sha === checkpoint.commit_sha;
  const saved: AttemptRow = {
    ...attempt,
    commit_sha: checkpoint.commit_sha,
    base_commit: checkpoint.base_commit,
    diff_stat: checkpoint.diff_stat ?? NO_CHANGE,
    diff_blob: checkpoint.diff_blob,
    outside_scope: isDelivered ? attempt.outside_scope : null,
    summary: attempt.summary ?? issue.reason,
  };
  const { pullRequest, branch } = await deliverForPerson(deps, saved, issue, {
    push: { isDelivered: false },
    draft: { problems: checkpoint.problems ?? [] },
  });
  const { attempt_id: attemptId } = attempt;
  const { url } = pullRequest;
  await keepPullRequest(
    deps,
    issue,
    { attemptId, url, branch },
    {
      also: [
        ...done,
        ...notifyPullRequest(deps.db, deps.clock.nowMs(), attempt, { url, draft: true }),
      ],
      audit: { caller, operation: 'issue.publish', subject: issue.identifier },
    },
  );
  return pullRequest;
}
