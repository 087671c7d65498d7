import { type SQL, sql } from 'drizzle-orm';
import type { Deps } from '../../deps.ts';

/**
 * Condition that this instance leads. Decisions include it in their own statements, so that a
 * leader that was suspended cannot decide after its successor. It compares terms, not dates,
 * because a clock may be wrong.
 */
export function leadsNow({ clock, service }: Pick<Deps, 'clock' | 'service'>): SQL {
  const { instanceId, lead } = service;
  const isRenewed = clock.monotonicMs() < lead.untilMs ? 1 : 0;
  return sql`(${isRenewed} and exists (select 1 from leader
    where instance_id = ${instanceId} and term = ${lead.term}))`;
}

/** Condition that no other instance leads; it holds also while nobody does. */
export function nobodyElseLeads({ service }: Pick<Deps, 'service'>): SQL {
  return sql`not exists (select 1 from leader where instance_id not in (${service.instanceId}, ''))`;
}
