import { sql } from 'drizzle-orm';
import { moveCounter, startCounter } from '../../observe/events/next-number.ts';
import { commitSilently, expectRowsAffected } from '../../db/commit-steps.ts';
import type { AlertRule } from '../../config/sections/alerts.ts';
import type { Database, Statement } from '../../db/database.ts';
import { alertCounts } from '../../db/schema/people/alerts.ts';
import { countMatching, type EventCount } from './decide.ts';

/** Name of the counter with the last event that was counted. */
const CURSOR = 'alerts_counted_seq';
const CHUNKS_PER_PAGE = 500;
const PAGES_PER_CALL = 10;
/** Events that are counted after a long time without rules; older ones are skipped. */
const MAX_LAG_EVENTS = 200_000;

/**
 * Counts the events since the last call, each exactly once: cursor and counts change in one batch.
 * True when more events remain.
 */
export async function countEvents(db: Database, rules: readonly AlertRule[]): Promise<boolean> {
  for (let page = 0; page < PAGES_PER_CALL; page += 1) {
    if (!(await countPage(db, rules))) return false;
  }
  return true;
}

async function countPage(db: Database, rules: readonly AlertRule[]): Promise<boolean> {
  const state = await db.get<{ cursor: number | null; last: number | null }>(sql`select
    (select value from counters where name = ${CURSOR}) as cursor,
    (select value from counters where name = 'event_seq') as last`);
  const last = state?.last ?? 0;
  if (state?.cursor === null || state === undefined) {
    // The first rule counts only events from now on.
    await db.batch([startCounter(db, CURSOR, last)]);
    return false;
  }
  const { cursor } = state;
  if (cursor >= last) return false;
  const fromSeq = Math.max(cursor, last - MAX_LAG_EVENTS);
  const page = await db.get<{
    upto: number | null;
    chunks: number;
  }>(sql`select max(last_seq) as upto,
    count(*) as chunks from (select last_seq from event_chunks where first_seq > ${fromSeq}
      order by first_seq limit ${CHUNKS_PER_PAGE})`);
  const upto = page?.upto ?? last;
  const counts = await readCounts(db, { fromSeq, upto, rules });
  const moved = moveCounter(db, CURSOR, { from: cursor, to: upto });
  const added = rules.flatMap((rule) => addCounts(db, rule, counts));
  if ((await commitSilently(db, [expectRowsAffected(moved), ...added])) === null) return false;
  return (page?.chunks ?? 0) >= CHUNKS_PER_PAGE;
}

/** Uses the control plane's time of storing, not the runner's clock. */
async function readCounts(
  db: Database,
  { fromSeq, upto, rules }: { fromSeq: number; upto: number; rules: readonly AlertRule[] },
): Promise<EventCount[]> {
  const types = [...new Set(rules.flatMap((rule) => rule.condition.event ?? []))];
  if (types.length === 0) return [];
  return db.all<EventCount>(sql`select json_extract(j.value, '$.type') as type,
      json_extract(j.value, '$.data.outcome') as outcome,
      json_extract(j.value, '$.data.failureKind') as failureKind,
      (c.at_ms / 60000) * 60000 as minuteMs, count(*) as count
    from event_chunks c, json_each(c.items) j
    where c.first_seq > ${fromSeq} and c.first_seq <= ${upto}
      and json_extract(j.value, '$.type') in (select value from json_each(${JSON.stringify(types)}))
    group by 1, 2, 3, 4`);
}

function addCounts(db: Database, rule: AlertRule, counts: readonly EventCount[]): Statement[] {
  return countMatching(rule.condition, counts).map(({ minuteMs, count }) =>
    db
      .insert(alertCounts)
      .values({ rule_name: rule.name, minute_ms: minuteMs, count })
      .onConflictDoUpdate({
        target: [alertCounts.rule_name, alertCounts.minute_ms],
        set: { count: sql`${alertCounts.count} + ${count}` },
      }),
  );
}
