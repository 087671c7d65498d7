import { sql } from 'drizzle-orm';
import type { Deps } from '../deps.ts';
import { jobs } from '../db/schema/operation/jobs.ts';
import { isNext } from '../jobs/queue/run-jobs.ts';

/**
 * The earliest time at which any row is due, epoch milliseconds; null when none is. While leases are
 * ignored, none of them is due.
 */
export async function nextDueAtMs({
  db,
  clock,
  service,
}: Pick<Deps, 'db' | 'clock' | 'service'>): Promise<number | null> {
  const nowMs = clock.nowMs();
  const leasesRestMs = service.leasesRestUntilMs - clock.monotonicMs();
  const leases = service.leaseTimes;
  const leasesFromMs = nowMs + Math.max(0, Math.ceil(leasesRestMs));
  const row = await db.get<{ due: number | null }>(sql`select min(due) as due from (
    select * from (select due_at_ms as due from ${jobs} where ${isNext} order by due_at_ms limit 1)
    union all select min(next_run_at_ms) from automation_timers
    union all select min(started_at_ms) from automation_runs where status = 'running' and step <> 'working'
    union all select min(created_at_ms) from notifications where spread_at_ms is null
    union all select min(next_retry_at_ms) from issues where status = 'retrying'
    union all select min(next_retry_at_ms) from issues where status = 'queued' and next_retry_at_ms > ${nowMs}
    union all select min(not_before_ms) from merge_queue where state = 'waiting' and not_before_ms > ${nowMs}
    union all select min(not_before_ms) from reviews where state = 'waiting' and not_before_ms > ${nowMs}
    union all select min(offer_expires_at_ms) from attempts where status = 'queued'
    union all select max(min(r.lease_until_ms) + ${leases.graceMs}, ${leasesFromMs}) from runners r
      where exists (select 1 from attempts a where a.runner_id = r.runner_id
        and a.status = 'running' and a.released_at_ms is null)
    union all select max(min(not_held_since_ms) + ${leases.notHeldRequeueMs}, ${leasesFromMs}) from attempts
      where status = 'running' and released_at_ms is null
    union all select min(expires_at_ms) from requests where state = 'asked'
    union all select min(due_at_ms) from upstream_pauses where canary_attempt_id is null and due_at_ms > ${nowMs}
    union all select min(due_at_ms) from agent_sessions
      where state in ('open', 'resting') and due_at_ms is not null
    union all select min(next_try_at_ms) from webhook_deliveries where status = 'pending')`);
  return row?.due ?? null;
}
