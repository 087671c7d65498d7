import type { PullRequest } from '@switchyard/shared/api/work/pull-request';
import { commitSteps } from '../../../db/commit-steps.ts';
import { setPullRequestStatus } from '../../../pull-requests/rows/set-pull-request-status.ts';
import type { Caller } from '../../../http/caller/caller.ts';
import type { PullRequestRow } from '../../../db/schema/work/pull-requests.ts';
import { AppError } from '../../../errors.ts';
import type { LocalCodeHostDeps } from './local-code-host-deps.ts';
import { pullRequestRecord } from '../../../ports/code-host/pull-request-record.ts';
import { requireOwnToEnd, requirePullRequest } from './queries.ts';

type End =
  | { status: 'merged'; mergeCommitSha: string; from: readonly PullRequestRow['status'][] }
  | { status: 'closed'; mergeCommitSha: null; from: readonly PullRequestRow['status'][] };

/**
 * Stores the end of a pull request with audit and event. Throws a 409 when its state is not in
 * `from`.
 */
export async function recordEnd(
  deps: Omit<LocalCodeHostDeps, 'ids'>,
  caller: Caller,
  id: string,
  end: End,
): Promise<PullRequest> {
  const row = await requireOwnToEnd(deps.db, id);
  const nowMs = deps.clock.nowMs();
  const { status, mergeCommitSha, from } = end;
  const changed = { status, merge_commit_sha: mergeCommitSha, updated_at_ms: nowMs };
  const pullRequest = pullRequestRecord(deps, { ...row, ...changed });
  const steps = setPullRequestStatus(deps.db, nowMs, row, {
    status,
    mergeCommitSha,
    from,
    caller,
    url: pullRequest.url,
  });
  if ((await commitSteps(deps.db, steps)) !== null) return pullRequest;
  const now = await requirePullRequest(deps.db, id);
  throw new AppError('conflict', `pull request ${id} is already ${now.status}`);
}

/** Closes an open pull request without merging it. Throws a 404, or a 409 when it is not open. */
export async function closePullRequest(
  deps: Omit<LocalCodeHostDeps, 'ids'>,
  caller: Caller,
  id: string,
): Promise<PullRequest> {
  return recordEnd(deps, caller, id, { status: 'closed', mergeCommitSha: null, from: ['open'] });
}
