import type { PullRequest } from '@switchyard/shared/api/work/pull-request';
import type { Deps } from '../../deps.ts';
import { issueOfPullRequest } from '../rows/issue-of-pull-request.ts';
import { enqueueEffect } from '../../jobs/queue/enqueue-effect.ts';

/** A merged pull request ends its issue in the tracker. */
export async function finishMergedIssue(
  deps: Pick<Deps, 'db' | 'clock' | 'wake'>,
  pullRequest: PullRequest,
): Promise<void> {
  const { attemptId, issueIdentifier } = pullRequest;
  const opened = { attempt_id: attemptId, issue_identifier: issueIdentifier };
  const issue = await issueOfPullRequest(deps.db, opened);
  if (issue === null) return;
  const effect = enqueueEffect(deps.db, deps.clock.nowMs(), {
    key: `${pullRequest.id}:merged`,
    effect: { kind: 'tracker.transition', role: 'done' },
    subject: { tracker: issue.tracker, issueId: issue.id, attemptId },
    repeat: false,
  });
  await deps.db.batch([effect]);
  deps.wake();
}
