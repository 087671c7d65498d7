import type { EventType } from '@switchyard/shared/api/event-type';
import type { PullRequestRow } from '../../db/schema/work/pull-requests.ts';

type Shown = Pick<
  PullRequestRow,
  'id' | 'url' | 'branch' | 'status' | 'merge_commit_sha' | 'issue_identifier'
>;

/** The event that reports a pull request's new status to subscribers. */
export function pullRequestEvent(row: Shown) {
  const { id: pullRequestId, url, branch, status, merge_commit_sha: mergeCommitSha } = row;
  const identifier = row.issue_identifier;
  const type: EventType = `pull_request.${status === 'open' ? 'opened' : status}`;
  return {
    type,
    data: { identifier, pullRequestId, url, branch, status, mergeCommitSha },
  };
}
