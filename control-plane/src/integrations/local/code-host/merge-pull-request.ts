import type { PullRequest } from '@switchyard/shared/api/work/pull-request';
import type { Caller } from '../../../http/caller/caller.ts';
import { AppError } from '../../../errors.ts';
import type { MergeInRepository } from '../../../ports/code-host/merge-in-repository.ts';
import { mergeMessage } from '../../../pull-requests/rows/merge-message.ts';
import type { LocalCodeHostDeps } from './local-code-host-deps.ts';
import { requireOwnToEnd } from './queries.ts';
import { recordEnd } from './record-end.ts';

/**
 * Merges an open pull request at a person's request. Throws a 404, or a 409 when it is not open.
 */
export async function mergePullRequest(
  deps: Omit<LocalCodeHostDeps, 'ids'>,
  merge: MergeInRepository,
  caller: Caller,
  id: string,
): Promise<PullRequest> {
  const row = await requireOwnToEnd(deps.db, id);
  if (row.status !== 'open') {
    throw new AppError('conflict', `pull request ${id} is already ${row.status}`);
  }
  const { mergeCommit } = await merge({
    repositoryUrl: row.repository_url,
    issueIdentifier: row.issue_identifier,
    branch: row.branch,
    baseBranch: row.base,
    expectedCommit: row.commit_sha,
    message: mergeMessage(row),
  });
  // The repository has the merge commit now, so a concurrent close no longer counts.
  return recordEnd(deps, caller, id, {
    status: 'merged',
    mergeCommitSha: mergeCommit,
    from: ['open', 'closed'],
  });
}
