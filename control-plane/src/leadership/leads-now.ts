import { type SQL, sql } from 'drizzle-orm';

/**
 * Condition that holds only while this instance leads. Decisions carry it into their own statement,
 * so that a leader that was asleep cannot decide after its successor.
 */
export function leadsNow(instanceId: string, nowMs: number): SQL {
  return sql`exists (select 1 from leader where instance_id = ${instanceId} and until_ms > ${nowMs})`;
}
