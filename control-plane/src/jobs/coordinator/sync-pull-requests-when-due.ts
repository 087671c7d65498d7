import { eq } from 'drizzle-orm';
import { timers } from '../../db/schema/operation/outbox.ts';
import type { Deps } from '../../deps.ts';
import { pollPullRequests } from '../../pull-requests/feedback/poll-pull-requests.ts';
import { codehostIntervalMs } from '../../inbox/polling-interval.ts';
import { setTimer, type Timers } from './timers.ts';

/**
 * Looks at open pull requests as often as trackers are polled. The timer comes with the first pull
 * request and goes with the last. False when it was not due.
 */
export async function syncPullRequestsWhenDue(deps: Deps, known: Timers): Promise<boolean> {
  const { db } = deps;
  const nowMs = deps.clock.nowMs();
  const { dueAtMs } = known.of('pull_requests');
  if (dueAtMs === 0 || dueAtMs > nowMs) return false;
  const notBeforeMs = await pollPullRequests(deps);
  if (notBeforeMs === null) {
    await db.delete(timers).where(eq(timers.name, 'pull_requests'));
    return true;
  }
  const intervalMs = await codehostIntervalMs(deps, await deps.config.load());
  await db.batch([setTimer(db, 'pull_requests', Math.max(nowMs + intervalMs, notBeforeMs))]);
  return true;
}
