import type { PullRequest } from '@switchyard/shared/api/work/pull-request';
import type { Statement } from '../../../db/database.ts';
import { commitWithEvent } from '../../../observe/events/commit-with-event.ts';
import type { LocalCodeHostDeps } from './local-code-host-deps.ts';

type EventSubject = Pick<
  PullRequest,
  'id' | 'url' | 'branch' | 'status' | 'mergeCommitSha' | 'issueIdentifier'
>;

/** Commits the statements with the event of the pull request as they leave it. */
export function commitPullRequest(
  deps: LocalCodeHostDeps,
  nowMs: number,
  pullRequest: EventSubject,
  statements: [Statement, ...Statement[]],
): Promise<void> {
  const { id, url, branch, status, mergeCommitSha, issueIdentifier } = pullRequest;
  const event = {
    type: `pull_request.${status === 'open' ? 'opened' : status}`,
    atMs: nowMs,
    data: { identifier: issueIdentifier, pullRequestId: id, url, branch, status, mergeCommitSha },
  };
  return commitWithEvent(deps, event, statements);
}
