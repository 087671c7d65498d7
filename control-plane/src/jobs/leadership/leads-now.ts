import { type SQL, sql } from 'drizzle-orm';
import type { Deps } from '../../deps.ts';

/**
 * Condition that holds only while this instance leads. Decisions carry it into their own statement,
 * so that a leader that was asleep cannot decide after its successor. No date is compared: a clock
 * may be wrong, a term cannot.
 */
export function leadsNow({ clock, service }: Pick<Deps, 'clock' | 'service'>): SQL {
  const { instanceId, lead } = service;
  const isRenewed = clock.monotonicMs() < lead.untilMs ? 1 : 0;
  return sql`(${isRenewed} and exists (select 1 from leader
    where instance_id = ${instanceId} and term = ${lead.term}))`;
}

/** Condition for what any instance may write, but for one that another has succeeded. */
export function nobodyElseLeads({ service }: Pick<Deps, 'service'>): SQL {
  return sql`not exists (select 1 from leader where instance_id not in (${service.instanceId}, ''))`;
}
