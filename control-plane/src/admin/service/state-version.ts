import { eq, sql } from 'drizzle-orm';
import { counters } from '../../db/schema/operation/events.ts';
import { usageTotals } from '../../db/schema/work/usage.ts';
import type { Deps } from '../../deps.ts';
import { versionOf } from '../../version-of.ts';

type Needed = Pick<Deps, 'db' | 'clock' | 'config' | 'service'>;
type Read = {
  rows: unknown;
  /** When the next pause ends, which changes no row, epoch milliseconds; null: never. */
  nextEndMs: number | null;
};

/**
 * The version of the state: it changes whenever the state does. Database triggers raise a counter
 * for every change of issues, runners and pauses, and maintain the sums over all attempts. At most
 * one small read, and none while no row has changed; a poll without news, or an event that the
 * state does not show, makes no new version.
 */
export function createStateVersion({ db, clock, config, service }: Needed): () => Promise<string> {
  let last: { of: string; read: Read } | null = null;

  const read = async (): Promise<Read> => {
    const of = db.rowsVersion?.() ?? null;
    const nowMs = clock.nowMs();
    if (last !== null && last.of === of && nowMs < (last.read.nextEndMs ?? Infinity)) {
      return last.read;
    }
    const found = await db
      .select({
        changes: counters.value,
        totals: usageTotals,
        // The end of a pause changes no row.
        paused: sql<number>`(select count(*) from upstream_pauses
          where due_at_ms > ${nowMs} or canary_attempt_id is not null)`,
        nextEndMs: sql<number | null>`(select min(due_at_ms) from upstream_pauses
          where due_at_ms > ${nowMs})`,
      })
      .from(counters)
      .leftJoin(usageTotals, eq(usageTotals.id, 1))
      .where(eq(counters.name, 'state_version'));
    const rows = found.map(({ changes, totals, paused }) => [changes, totals, paused]);
    const made = { rows, nextEndMs: found[0]?.nextEndMs ?? null };
    last = of === null ? null : { of, read: made };
    return made;
  };

  return async () => {
    const { rows } = await read();
    const problems = config.problems().map(({ message }) => message);
    return versionOf(JSON.stringify([rows, service.instanceId, service.publicOrigin, problems]));
  };
}
