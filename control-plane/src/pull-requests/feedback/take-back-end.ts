import { commitSteps } from '../../db/commit-steps.ts';
import { SERVICE_CALLER } from '../../http/caller/caller.ts';
import type { PullRequestView } from '../../ports/code-host/code-host.ts';
import type { PullRequestRow } from '../../db/schema/work/pull-requests.ts';
import type { Deps } from '../../deps.ts';
import { setIssueStatus } from '../../issues/set-issue-status.ts';
import { setPullRequestStatus } from '../rows/set-pull-request-status.ts';
import { issueOfPullRequest } from '../rows/issue-of-pull-request.ts';
import { enqueueEffect } from '../../jobs/queue/enqueue-effect.ts';
import { isAbout } from './record-end.ts';

const CALLER = { ...SERVICE_CALLER, path: 'feedback' };

/**
 * Reopens a pull request that had ended but is open or merged on its host. It counts as open, so
 * that the next sync handles its state; an issue blocked only by its end counts as delivered again.
 */
export async function takeBackEnd(
  deps: Pick<Deps, 'db' | 'clock'>,
  row: PullRequestRow,
  view: Pick<PullRequestView, 'status'>,
): Promise<void> {
  if (view.status === 'closed' || view.status === 'missing' || view.status === row.status) return;
  const issue = await issueOfPullRequest(deps.db, row);
  const nowMs = deps.clock.nowMs();
  const steps = setPullRequestStatus(deps.db, nowMs, row, {
    status: 'open',
    mergeCommitSha: row.merge_commit_sha,
    from: ['closed'],
    caller: CALLER,
    url: row.url,
  });
  const isBlockedByEnd = issue?.reason_code === 'pull_request_closed' && isAbout(issue, row);
  // On a conflict another process stored it first, or the issue changed; the next sync decides
  // again.
  if (issue?.status !== 'blocked' || !isBlockedByEnd) {
    await commitSteps(deps.db, steps);
    return;
  }
  const reason = `its pull request #${row.number} is open again`;
  const review = enqueueEffect(deps.db, nowMs, {
    key: `${row.id}:reopened:${nowMs}`,
    effect: { kind: 'tracker.transition', role: 'review' },
    subject: { tracker: issue.tracker, issueId: issue.id, attemptId: row.attempt_id },
    repeat: false,
  });
  const change = { status: 'completed', reason, code: 'pull_request_reopened' } as const;
  await setIssueStatus(deps, { issue, ...change, also: [...steps, review] });
}
