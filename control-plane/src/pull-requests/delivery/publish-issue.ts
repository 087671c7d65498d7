import { shownRepository } from '@switchyard/shared/text/repository-url';
import type { PullRequest } from '@switchyard/shared/api/work/pull-request';
import { performNow } from '../../jobs/queue/perform-now.ts';
import type { Statement } from '../../db/database.ts';
import type { IssueRow } from '../../db/schema/work/issues.ts';
import type { Caller } from '../../http/caller/caller.ts';
import { attemptById } from '../../attempts/queries.ts';
import { newestCheckpoint } from '../../attempts/checkpoints/queries.ts';
import { CodeHostError } from '../../ports/code-host/code-host.ts';
import { isOwnBranch } from '@switchyard/shared/branch/is-own-branch';
import type { Deps } from '../../deps.ts';
import { AppError } from '../../errors.ts';
import { notifyPullRequest } from '../../notifications/notify-attempt.ts';
import { requireIssue } from '../../issues/queries.ts';
import type { DeliveryDeps } from './connect-delivery.ts';
import { keepPullRequest } from './keep-pull-request.ts';

const NO_CHANGE = { files: 0, insertions: 0, deletions: 0 };

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
  const { commit_sha: commitSha, base_commit: baseCommit } = checkpoint ?? {};
  const branch = attempt?.branch ?? null;
  if (!checkpoint || !attempt || !commitSha || !baseCommit || !isOwnBranch(branch)) {
    throw new AppError('not_found', `saved work of ${issue.identifier} not found`);
  }
  return { checkpoint, attempt, branch, commitSha, baseCommit };
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
  const saved = await savedWork(deps.db, issue);
  const { checkpoint, attempt, commitSha, baseCommit } = saved;
  const host = deps.codeHosts.find((candidate) => candidate.serves(attempt.repository_url));
  if (host === undefined)
    throw new AppError(
      'unavailable',
      `no code host serves ${shownRepository(attempt.repository_url)}`,
    );
  const work = { commitSha, branch: saved.branch };
  const { branch, base } = await deps.pushKeptWork(attempt, issue, work);
  const diffStat = checkpoint.diff_stat ?? NO_CHANGE;
  const isDelivered = attempt.commit_sha === commitSha;
  const text = await deps.writePullRequest({
    issue,
    attempt: {
      ...attempt,
      diff_stat: diffStat,
      outside_scope: isDelivered ? attempt.outside_scope : null,
    },
    commitSha,
    summary: attempt.summary ?? issue.reason,
    draft: true,
    problems: checkpoint.problems ?? [],
  });
  const pullRequest = await open(() =>
    host.openPullRequest({
      ...text,
      repositoryUrl: attempt.repository_url,
      branch,
      base,
      baseCommit,
      commitSha,
      draft: true,
      diffStat,
      diffBlob: checkpoint.diff_blob,
      issueIdentifier: issue.identifier,
      attemptId: attempt.attempt_id,
    }),
  );
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

async function open(work: () => Promise<PullRequest>): Promise<PullRequest> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof CodeHostError) throw new AppError('upstream_failed', error.message);
    throw error;
  }
}
