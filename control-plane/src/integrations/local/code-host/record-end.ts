import { and, eq, inArray } from 'drizzle-orm';
import type { PullRequest } from '@switchyard/shared/api/work/pull-request';
import { auditStatement } from '../../../observe/audit/audit-statement.ts';
import type { Caller } from '../../../observe/audit/caller.ts';
import { isFenced, requireChange } from '../../../db/require-change.ts';
import { type PullRequestRow, pullRequests } from '../../../db/schema/work/pull-requests.ts';
import { AppError } from '../../../errors.ts';
import { commitPullRequest } from './commit-pull-request.ts';
import type { LocalCodeHostDeps } from './local-code-host-deps.ts';
import { pullRequestRecord } from '../../../pull-requests/pull-request-record.ts';
import { requireOwnToEnd, requirePullRequest } from './queries.ts';

type End =
  | { status: 'merged'; mergeCommitSha: string; from: readonly PullRequestRow['status'][] }
  | { status: 'closed'; mergeCommitSha: null; from: readonly PullRequestRow['status'][] };

/** Stores the end of a pull request with audit and event. Throws a 409 when its state is not in `from`. */
export async function recordEnd(
  deps: LocalCodeHostDeps,
  caller: Caller,
  id: string,
  end: End,
): Promise<PullRequest> {
  const row = await requireOwnToEnd(deps.db, id);
  const nowMs = deps.clock.nowMs();
  const pullRequest = pullRequestRecord(deps, {
    ...row,
    status: end.status,
    merge_commit_sha: end.mergeCommitSha,
    updated_at_ms: nowMs,
  });
  try {
    await commitPullRequest(deps, nowMs, pullRequest, [
      deps.db
        .update(pullRequests)
        .set({ status: end.status, merge_commit_sha: end.mergeCommitSha, updated_at_ms: nowMs })
        .where(and(eq(pullRequests.id, id), inArray(pullRequests.status, [...end.from]))),
      requireChange(deps.db),
      auditStatement(deps.db, nowMs, caller, {
        operation: end.status === 'merged' ? 'pull_request.merge' : 'pull_request.close',
        subject: row.issue_identifier,
        details: { id, mergeCommitSha: end.mergeCommitSha },
      }),
    ]);
    return pullRequest;
  } catch (error) {
    if (!isFenced(error)) throw error;
    const now = await requirePullRequest(deps.db, id);
    throw new AppError('conflict', `pull request ${id} is already ${now.status}`);
  }
}
