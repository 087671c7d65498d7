import type { PullRequest } from '@switchyard/shared/api/work/pull-request';
import type { Deps } from '../../deps.ts';
import { AppError } from '../../errors.ts';
import { noteMerged } from '../feedback/record-end.ts';
import { issueOfPullRequest } from '../rows/issue-of-pull-request.ts';

const MAX_TRIES = 5;

/**
 * Moves an issue to done in the tracker after its pull request was merged, and reports the merge on
 * it.
 */
export async function finishMergedIssue(
  deps: Pick<Deps, 'db' | 'clock' | 'wake'>,
  pullRequest: PullRequest,
): Promise<void> {
  const { attemptId, issueIdentifier } = pullRequest;
  const row = { ...pullRequest, attempt_id: attemptId, issue_identifier: issueIdentifier };
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const issue = await issueOfPullRequest(deps.db, row);
    if (issue === null) return;
    if (!(await noteMerged(deps, row, issue))) continue;
    return deps.wake();
  }
  throw new AppError('conflict', `issue ${issueIdentifier} keeps changing; move it to done`);
}
