import type { IssueRow } from '../../db/schema/work/issues.ts';
import type { MergeQueueRow } from '../../db/schema/work/merge-queue.ts';
import type { PullRequestRow } from '../../db/schema/work/pull-requests.ts';
import { ENTERED_BY_POLICY } from './decide.ts';

/** Why a pull request waits whose place in the line says the rest. */
export const QUEUED = 'waits for its turn';

/** The entry of a pull request that comes into the queue, by the policy unless `place` says who. */
export function newMergeEntry(
  { pullRequest, issue }: { pullRequest: PullRequestRow; issue: IssueRow },
  nowMs: number,
  place: Pick<MergeQueueRow, 'state' | 'reason' | 'reason_code'> & Partial<MergeQueueRow>,
): MergeQueueRow {
  return {
    pull_request_id: pullRequest.id,
    repository_url: pullRequest.repository_url,
    base: pullRequest.base,
    tracker: issue.tracker,
    issue_id: issue.id,
    commit_sha: pullRequest.commit_sha,
    entered_by: ENTERED_BY_POLICY,
    entered_at_ms: nowMs,
    attempt_id: null,
    tries: 0,
    not_before_ms: null,
    updated_at_ms: nowMs,
    ...place,
  };
}
