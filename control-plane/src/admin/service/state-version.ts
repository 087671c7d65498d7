import { eq, sql } from 'drizzle-orm';
import { counters } from '../../db/schema/operation/events.ts';
import { usageTotals } from '../../db/schema/work/usage.ts';
import type { Deps } from '../../deps.ts';
import { versionOf } from '../../version-of.ts';

/**
 * Differs whenever the state does: triggers raise a counter with every change of issues, runners and
 * pauses, and keep the sums over all attempts. One small read; a poll that finds nothing new, or an
 * event that shows nowhere in the state, makes no new version.
 */
export async function stateVersion({
  db,
  clock,
  config,
  service,
}: Pick<Deps, 'db' | 'clock' | 'config' | 'service'>): Promise<string> {
  const rows = await db
    .select({
      changes: counters.value,
      totals: usageTotals,
      // A pause that is over changes no row.
      paused: sql<number>`(select count(*) from upstream_pauses
        where due_at_ms > ${clock.nowMs()} or canary_attempt_id is not null)`,
    })
    .from(counters)
    .leftJoin(usageTotals, eq(usageTotals.id, 1))
    .where(eq(counters.name, 'state_version'));
  const problems = config.problems().map(({ message }) => message);
  return versionOf(JSON.stringify([rows, service.instanceId, service.publicOrigin, problems]));
}
