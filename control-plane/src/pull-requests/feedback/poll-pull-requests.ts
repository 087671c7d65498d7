import { inArray } from 'drizzle-orm';
import { CodeHostError } from '../../ports/code-host/code-host.ts';
import { pullRequests } from '../../db/schema/work/pull-requests.ts';
import type { Deps } from '../../deps.ts';
import { syncPullRequest } from './sync-pull-request.ts';
import { openPullRequests } from './queries.ts';

/**
 * Pull requests synced in one poll; the others follow. A code host allows 5,000 requests per hour.
 */
const AT_ONCE = 10;
const SYNC_TIMEOUT_MS = 10_000;

/**
 * Syncs open pull requests, those first that have waited longest. Resolves with the code hosts'
 * errors, for the log and for the time of the next poll.
 */
export async function pollPullRequests(
  deps: Pick<Deps, 'db' | 'clock' | 'connections' | 'config' | 'trackers' | 'codeHosts'>,
): Promise<CodeHostError[]> {
  const rows = await openPullRequests(deps.db, deps.clock.nowMs(), AT_ONCE);
  if (rows.length === 0) return [];
  const ids = rows.map(({ id }) => id);
  await deps.db.batch([
    deps.db
      .update(pullRequests)
      .set({ looked_at_ms: deps.clock.nowMs() })
      .where(inArray(pullRequests.id, ids)),
  ]);
  const signal = AbortSignal.timeout(SYNC_TIMEOUT_MS);
  const ends = await Promise.allSettled(rows.map((row) => syncPullRequest(deps, row, signal)));
  return ends.flatMap((end) => {
    if (end.status === 'fulfilled') return [];
    const error: unknown = end.reason;
    if (!(error instanceof CodeHostError)) throw error;
    return error;
  });
}
