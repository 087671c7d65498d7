import type { PullRequest } from '@switchyard/shared/api/work/pull-request';
import type { Deps } from '../../deps.ts';
import { issueByIdentifier } from '../../issues/queries.ts';
import { enqueueEffect } from '../../jobs/queue/enqueue-effect.ts';

/** A merged pull request ends its issue in the tracker. */
export async function finishMergedIssue(
  deps: Pick<Deps, 'db' | 'clock' | 'wake'>,
  pullRequest: PullRequest,
): Promise<void> {
  const issue = await issueByIdentifier(deps.db, pullRequest.issueIdentifier);
  if (issue === null) return;
  const effect = enqueueEffect(deps.db, deps.clock.nowMs(), {
    key: `${pullRequest.id}:merged`,
    effect: { kind: 'tracker.transition', role: 'done' },
    subject: { tracker: issue.tracker, issueId: issue.id, attemptId: pullRequest.attemptId },
    repeat: false,
  });
  await deps.db.batch([effect]);
  deps.wake();
}
