import type { z } from 'zod';
import type { GitHubRequest } from '../api/github-client.ts';
import { GitHubError } from '../api/github-error.ts';
import { requestsTo, type IssueLocation } from './issue-location.ts';

/**
 * All rows of a query, however many, ordered by time of change. After the last page that the client
 * reads of one query, a new query continues from the last row's time. Throws a GitHubError.
 */
export async function walkChanged<T extends { node_id: string; updated_at: string }>(
  row: z.ZodType<T>,
  place: Omit<IssueLocation, 'number'>,
  {
    path,
    sinceMs,
    onUnreadable,
  }: { path: string; sinceMs: number | null } & Pick<GitHubRequest, 'onUnreadable'>,
): Promise<T[]> {
  const found = new Map<string, T>();
  let since = sinceMs === null ? null : secondOf(sinceMs);
  for (;;) {
    let hasMore = false;
    const from = since === null ? '' : `&since=${encodeURIComponent(since)}`;
    const asked = `${path}sort=updated&direction=asc${from}&per_page=100`;
    const rows = await requestsTo(place).all(row, asked, {
      onMore: () => void (hasMore = true),
      onUnreadable,
    });
    for (const one of rows) found.set(one.node_id, one);
    const last = rows.at(-1);
    if (!hasMore || last === undefined) return [...found.values()];
    const next = secondOf(Date.parse(last.updated_at));
    // More rows than can be paged changed in the same second, so the query cannot continue.
    if (next === since) throw new GitHubError('pagination', `${asked}: the pages do not end`);
    since = next;
  }
}

function secondOf(atMs: number): string {
  return new Date(Math.floor(atMs / 1_000) * 1_000).toISOString();
}
