import type { PullRequest } from '@switchyard/shared/api/work/pull-request';
import type { PullRequestRow } from '../../db/schema/work/pull-requests.ts';

/** `publicOrigin`: this service's public origin, or null when only paths are known. */
type Origin = { publicOrigin(): string | null };

/** A stored pull request as the API shows it. */
export function pullRequestRecord(deps: Origin, row: PullRequestRow): PullRequest {
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
    url: row.url ?? pageOf(deps, row.id),
    diffStat: row.diff_stat,
    issueIdentifier: row.issue_identifier,
    attemptId: row.attempt_id,
    createdAt: new Date(row.created_at_ms).toISOString(),
    updatedAt: new Date(row.updated_at_ms).toISOString(),
  };
}

/** The page of a pull request on the built-in host. */
export function pageOf(deps: Origin, id: string): string {
  const path = `/pull-requests/${id}`;
  const origin = deps.publicOrigin();
  return origin === null ? path : `${origin.replace(/\/+$/, '')}${path}`;
}
