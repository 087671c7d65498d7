import { GitHubError } from '../../github-api/github-error.ts';
import { GitHubIssue } from './github-issue.ts';
import { askOf, type IssuePlace } from './issue-place.ts';

/**
 * All issues that a query finds, however many: those that were changed longest ago come first, and
 * where GitHub gives no further pages the walk goes on from the last one's time. Pull requests are
 * among them. Throws a GitHubError.
 */
export async function walkIssues(
  place: Omit<IssuePlace, 'number'>,
  query: string,
  sinceMs: number | null,
): Promise<GitHubIssue[]> {
  const found = new Map<number, GitHubIssue>();
  let since = sinceMs === null ? null : secondOf(sinceMs);
  for (;;) {
    let hasMore = false;
    const from = since === null ? '' : `&since=${encodeURIComponent(since)}`;
    const path = `/issues?${query}&sort=updated&direction=asc${from}&per_page=100`;
    const rows = await askOf(place).all(GitHubIssue, path, () => void (hasMore = true));
    for (const row of rows) found.set(row.number, row);
    const last = rows.at(-1);
    if (!hasMore || last === undefined) return [...found.values()];
    const next = secondOf(Date.parse(last.updated_at));
    // More than can be paged were changed in the same second: there is no way on.
    if (next === since) throw new GitHubError('pagination', `${path}: the pages do not end`);
    since = next;
  }
}

function secondOf(atMs: number): string {
  return new Date(Math.floor(atMs / 1_000) * 1_000).toISOString();
}
