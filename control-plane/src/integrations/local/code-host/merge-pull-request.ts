import type { PullRequest } from '@switchyard/shared/api/work/pull-request';
import type { Caller } from '../../../observe/audit/caller.ts';
import type { PullRequestRow } from '../../../db/schema/work/pull-requests.ts';
import { AppError } from '../../../errors.ts';
import type { LocalCodeHostDeps } from './local-code-host-deps.ts';
import { requireOwnToEnd } from './queries.ts';
import { recordEnd } from './record-end.ts';

/**
 * Merges in the repository, where a runner reaches it. Must be safe to repeat: merging a commit that
 * the base already contains answers the commit that holds it. Throws an `AppError`: 503 when no
 * runner can, 409 when the branch conflicts or is not at `expectedCommit`.
 */
export type MergeInRepository = (input: {
  repositoryUrl: string;
  /** Whose work it is: only runners that may have it are asked. */
  issueIdentifier: string;
  branch: string;
  baseBranch: string;
  expectedCommit: string;
  message: string;
}) => Promise<{ mergeCommit: string }>;

/** Merges an open pull request for a person. Throws a 404, or a 409 when it is not open. */
export async function mergePullRequest(
  deps: LocalCodeHostDeps,
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
  // The repository has the commit now, so a close that came in between no longer counts.
  return recordEnd(deps, caller, id, {
    status: 'merged',
    mergeCommitSha: mergeCommit,
    from: ['open', 'closed'],
  });
}

function mergeMessage(row: PullRequestRow): string {
  return `Merge pull request #${row.number} from ${row.branch}\n\n${row.title}\n`;
}
