import { inArray } from 'drizzle-orm';
import { CodeHostError } from '../../ports/code-host/code-host.ts';
import { pullRequests } from '../../db/schema/work/pull-requests.ts';
import { type FeedbackDeps, syncPullRequest } from './sync-pull-request.ts';
import { openPullRequests } from './queries.ts';

/**
 * Pull requests synced in one poll; the others follow. A code host allows 5,000 requests per hour.
 */
const AT_ONCE = 10;
const SYNC_TIMEOUT_MS = 10_000;

/**
 * Syncs open pull requests, those first that have waited longest. Resolves with the time before
 * which a host wants no further request, epoch milliseconds, or 0.
 */
export async function pollPullRequests(deps: FeedbackDeps): Promise<number> {
  const rows = await openPullRequests(deps.db, deps.clock.nowMs(), AT_ONCE);
  if (rows.length === 0) return 0;
  const ids = rows.map(({ id }) => id);
  await deps.db.batch([
    deps.db
      .update(pullRequests)
      .set({ looked_at_ms: deps.clock.nowMs() })
      .where(inArray(pullRequests.id, ids)),
  ]);
  const signal = AbortSignal.timeout(SYNC_TIMEOUT_MS);
  const ends = await Promise.allSettled(rows.map((row) => syncPullRequest(deps, row, signal)));
  let notBeforeMs = 0;
  for (const end of ends) {
    if (end.status === 'fulfilled') continue;
    const error: unknown = end.reason;
    if (!(error instanceof CodeHostError)) throw error;
    deps.logger.warn('a pull request could not be looked at', { error: error.message });
    notBeforeMs = Math.max(notBeforeMs, error.retryAtMs ?? 0);
  }
  return notBeforeMs;
}
