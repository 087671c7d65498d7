import type { PullRequest } from '@switchyard/shared/api/work/pull-request';
import { workInProgressRef } from '@switchyard/shared/protocol/work-in-progress-ref';
import { eq, and, sql } from 'drizzle-orm';
import { auditStatement } from '../../observe/audit/audit-statement.ts';
import type { Caller } from '../../observe/audit/caller.ts';
import { attemptById } from '../../attempts/queries.ts';
import { newestCheckpoint } from '../../attempts/checkpoints/queries.ts';
import { CodeHostError } from '../../pull-requests/code-host.ts';
import { pullRequestText } from '../../pull-requests/pull-request-text.ts';
import { issues } from '../../db/schema/work/issues.ts';
import { isOwnBranch } from '@switchyard/shared/protocol/is-own-branch';
import type { Deps } from '../../deps.ts';
import { AppError } from '../../errors.ts';
import { notifyPullRequest } from '../../people/notifications/notify-attempt.ts';
import { commentKey, enqueueEffect } from '../../jobs/queue/enqueue-effect.ts';
import { pushingRunner } from '../../runners/blobs/pushing-runner.ts';
import { issueByIdentifier } from '../queries.ts';

const PUSH_TIMEOUT_MS = 60_000;
const NO_CHANGE = { files: 0, insertions: 0, deletions: 0 };

/**
 * Makes a draft pull request of an issue's unfinished work. 409 while it runs, 404 when nothing was
 * saved, 503 without a runner, 502 when the code host fails.
 */
export async function publishIssue(
  deps: Pick<
    Deps,
    'db' | 'clock' | 'calls' | 'sockets' | 'codeHosts' | 'service' | 'events' | 'wake'
  >,
  input: { identifier: string; caller: Caller },
): Promise<PullRequest> {
  const issue = await issueByIdentifier(deps.db, input.identifier);
  if (issue === null) throw new AppError('not_found', `issue ${input.identifier} not found`);
  if (issue.status === 'running')
    throw new AppError('conflict', `issue ${issue.identifier} is running; abort it first`);
  const checkpoint = await newestCheckpoint(deps.db, issue);
  const attempt = checkpoint === null ? null : await attemptById(deps.db, checkpoint.attempt_id);
  const { commit_sha: commitSha, base_commit: baseCommit } = checkpoint ?? {};
  if (!checkpoint || !attempt || !commitSha || !baseCommit || !isOwnBranch(attempt.branch)) {
    throw new AppError('not_found', `saved work of ${issue.identifier} not found`);
  }
  const host = deps.codeHosts.find((candidate) => candidate.serves(attempt.repository_url));
  if (host === undefined)
    throw new AppError('unavailable', `no code host serves ${attempt.repository_url}`);
  const { baseBranch } = await deps.calls.call(
    await pushingRunner(deps, issue.labels, attempt.runner_id),
    'branch.publish',
    {
      repository: attempt.spec.repository,
      ref: workInProgressRef(issue.identifier),
      commitSha,
      branch: attempt.branch,
    },
    PUSH_TIMEOUT_MS,
  );
  const diffStat = checkpoint.diff_stat ?? NO_CHANGE;
  const origin = deps.service.publicOrigin;
  const url =
    origin === null
      ? null
      : `${origin}/issues/${encodeURIComponent(issue.identifier)}?attempt=${attempt.attempt_id}`;
  const text = pullRequestText({
    issue,
    summary: attempt.summary ?? issue.reason,
    diffStat,
    attempt: { number: attempt.number, url },
    draft: true,
  });
  const pullRequest = await open(() =>
    host.openPullRequest({
      ...text,
      repositoryUrl: attempt.repository_url,
      branch: attempt.branch ?? '',
      base: attempt.base_branch ?? baseBranch,
      baseCommit,
      commitSha,
      draft: true,
      diffStat,
      diffBlob: checkpoint.diff_blob,
      issueIdentifier: issue.identifier,
      attemptId: attempt.attempt_id,
    }),
  );
  const nowMs = deps.clock.nowMs();
  const subject = { tracker: issue.tracker, issueId: issue.id, attemptId: attempt.attempt_id };
  await deps.db.batch([
    deps.db
      .update(issues)
      .set({ pull_request_url: pullRequest.url, version: sql`${issues.version} + 1` })
      .where(and(eq(issues.tracker, issue.tracker), eq(issues.id, issue.id))),
    auditStatement(deps.db, nowMs, input.caller, {
      operation: 'issue.publish',
      subject: issue.identifier,
    }),
    enqueueEffect(deps.db, nowMs, {
      key: commentKey(subject),
      effect: { kind: 'tracker.comment' },
      subject,
      repeat: true,
    }),
    ...notifyPullRequest(deps.db, nowMs, attempt, { url: pullRequest.url, draft: true }),
  ]);
  deps.events.notify(0);
  deps.wake();
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
