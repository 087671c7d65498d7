import { and, eq, sql } from 'drizzle-orm';
import type { PullRequest } from '@switchyard/shared/api/work/pull-request';
import type { Database, Statement } from '../../db/database.ts';
import { updateIssue } from '../../db/rows/update-issue.ts';
import type { AttemptRow } from '../../db/schema/work/attempts.ts';
import { type IssueRow, issues } from '../../db/schema/work/issues.ts';
import { enqueueComment, enqueueEffect } from '../../jobs/queue/enqueue-effect.ts';
import { notifyPullRequest } from '../../notifications/notify-attempt.ts';
import { type Change, type ChangeDeps, commitChange } from '../../observe/events/commit-change.ts';

/**
 * Records an opened pull request on its issue without changing the status, even if the issue was
 * modified since it was read. An issue with a newer pull request, or another issue under the same
 * id, is left as it is; `also` and `audit` are stored in any case.
 */
export async function keepPullRequest(
  deps: ChangeDeps,
  issue: IssueRow,
  opened: { attemptId: string; url: string; branch: string | null },
  { also = [], audit }: Pick<Change, 'also' | 'audit'>,
): Promise<void> {
  const { tracker, id: issueId, workspace_key: key } = issue;
  const { attemptId, url, branch } = opened;
  const nowMs = deps.clock.nowMs();
  const isSameWork = and(
    sql`${issues.pull_request_url} is ${issue.pull_request_url}`,
    key === null ? undefined : eq(issues.workspace_key, key),
  );
  const change = {
    also: [...also, enqueueComment(deps.db, nowMs, { tracker, issueId, attemptId })],
    ...(audit === undefined ? {} : { audit }),
    nowMs,
  };
  const swap = updateIssue(deps.db, issue, { pull_request_url: url, branch }, isSameWork);
  if (!(await commitChange(deps, { ...change, swap }))) await commitChange(deps, change);
}

/** The statement by which the tracker's issue moves to the state for review, once an attempt. */
export function moveToReview(db: Database, nowMs: number, attempt: AttemptRow): Statement {
  const { attempt_id: attemptId, tracker, issue_id: issueId } = attempt;
  return enqueueEffect(db, nowMs, {
    key: `${attemptId}:review`,
    effect: { kind: 'tracker.transition', role: 'review' },
    subject: { tracker, issueId, attemptId },
    repeat: false,
  });
}

/** Statements that announce a pull request of finished work in the tracker and in notifications. */
export function notifyOfPullRequest(
  db: Database,
  nowMs: number,
  attempt: AttemptRow,
  { url, draft }: Pick<PullRequest, 'url' | 'draft'>,
): Statement[] {
  const { attempt_id: attemptId, tracker, issue_id: issueId } = attempt;
  const attach = enqueueEffect(db, nowMs, {
    key: `${attemptId}:attach`,
    effect: { kind: 'tracker.attach', url, title: `Pull request for ${attempt.identifier}` },
    subject: { tracker, issueId, attemptId },
    repeat: false,
  });
  return [attach, ...notifyPullRequest(db, nowMs, attempt, { url, draft })];
}
