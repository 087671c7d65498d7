import { auditStatement } from '../observe/audit/audit-statement.ts';
import type { Caller } from '../http/caller/caller.ts';
import type { Deps } from '../deps.ts';
import { setTimer, timerDueAtMs } from '../jobs/queue/set-timer.ts';

/**
 * Makes the poll of the tracker due now and wakes the coordinator; `coalesced` tells whether the
 * poll was due already.
 */
export async function requestRefresh(
  deps: Pick<Deps, 'db' | 'clock' | 'wake'>,
  caller: Caller,
): Promise<{ queued: boolean; coalesced: boolean; requestedAt: string }> {
  const nowMs = deps.clock.nowMs();
  const coalesced = (await timerDueAtMs(deps.db, 'poll')) <= nowMs;
  await deps.db.batch([
    setTimer(deps.db, 'poll', nowMs),
    auditStatement(deps.db, nowMs, caller, { operation: 'service.refresh' }),
  ]);
  deps.wake();
  return { queued: true, coalesced, requestedAt: new Date(nowMs).toISOString() };
}
