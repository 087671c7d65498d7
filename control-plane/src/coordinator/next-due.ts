import { sql } from 'drizzle-orm';
import { LEASE_GRACE_MS, LEASE_TTL_MS, NOT_HELD_REQUEUE_MS } from '@switchyard/shared/protocol/limits';
import type { Database } from '../db/database.ts';

/**
 * The earliest time at which any row wants attention; null when nothing is due ever. Leases are left
 * alone for one lease time after `leadsSinceMs`, so none is due before that.
 */
export async function nextDueAtMs(
  db: Database,
  { nowMs, leadsSinceMs }: { nowMs: number; leadsSinceMs: number },
): Promise<number | null> {
  const leasesFromMs = leadsSinceMs + LEASE_TTL_MS;
  const row = await db.get<{ due: number | null }>(sql`select min(due) as due from (
    select min(next_try_at_ms) as due from outbox where status = 'pending'
    union all select min(next_retry_at_ms) from issues where status = 'retrying'
    union all select min(next_retry_at_ms) from issues where status = 'queued' and next_retry_at_ms > ${nowMs}
    union all select min(offer_expires_at_ms) from attempts where status = 'queued'
    union all select max(min(r.lease_until_ms) + ${LEASE_GRACE_MS}, ${leasesFromMs}) from runners r
      where exists (select 1 from attempts a where a.runner_id = r.runner_id
        and a.status = 'running' and a.released_at_ms is null)
    union all select max(min(not_held_since_ms) + ${NOT_HELD_REQUEUE_MS}, ${leasesFromMs}) from attempts
      where status = 'running' and released_at_ms is null
    union all select min(expires_at_ms) from requests where state = 'asked'
    union all select min(due_at_ms) from upstream_pauses where canary_attempt_id is null and due_at_ms > ${nowMs}
    union all select min(due_at_ms) from timers)`);
  return row?.due ?? null;
}
