import type { PullRequest } from '@switchyard/shared/api/pull-request';
import type { PullRequestRow } from '../../db/schema/pull-requests.ts';
import type { LocalCodeHostDeps } from './local-code-host-deps.ts';

/** A stored pull request as the API shows it. */
export function pullRequestRecord(
  deps: Pick<LocalCodeHostDeps, 'publicOrigin'>,
  row: PullRequestRow,
): PullRequest {
  return {
    id: row.id,
    number: row.number,
    codeHost: row.code_host,
    repositoryUrl: row.repository_url,
    branch: row.branch,
    base: row.base,
    commitSha: row.commit_sha,
    title: row.title,
    body: row.body,
    draft: row.draft,
    status: row.status,
    mergeCommitSha: row.merge_commit_sha,
    url: pullRequestUrl(deps, row.id),
    diffStat: row.diff_stat,
    issueIdentifier: row.issue_identifier,
    attemptId: row.attempt_id,
    createdAt: new Date(row.created_at_ms).toISOString(),
    updatedAt: new Date(row.updated_at_ms).toISOString(),
  };
}

function pullRequestUrl(deps: Pick<LocalCodeHostDeps, 'publicOrigin'>, id: string): string {
  const path = `/pull-requests/${id}`;
  const origin = deps.publicOrigin();
  return origin === null ? path : `${origin.replace(/\/+$/, '')}${path}`;
}
