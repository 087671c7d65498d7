import { sql } from 'drizzle-orm';
import type { Database, Statement } from '../../db/database.ts';
import type { StoredEvent } from '../../db/schema/operation/events.ts';

/** The attempt of a chunk; `fromRunnerSeq` is null when this service made its events. */
export type ChunkOrigin = { attemptId: string; epoch: number; fromRunnerSeq: number | null };

/**
 * Statements that store events as one chunk, numbered from the database's own counter, for the
 * batch that makes them true. An aborted batch leaves no gap.
 */
export function appendEvents(
  db: Database,
  nowMs: number,
  events: readonly StoredEvent[],
  origin?: ChunkOrigin,
): Statement[] {
  const texts = events.map((event) => JSON.stringify(event));
  return appendEventTexts(db, nowMs, texts, origin);
}

/** As `appendEvents`, for events that are JSON already. */
export function appendEventTexts(
  db: Database,
  nowMs: number,
  texts: readonly string[],
  origin?: ChunkOrigin,
): Statement[] {
  if (texts.length === 0) return [];
  const count = texts.length;
  const items = `[${texts.join(',')}]`;
  return [
    db.run(sql`insert into counters (name, value) values ('event_seq', ${count})
      on conflict (name) do update set value = value + ${count}`),
    db.run(sql`insert into event_chunks
        (first_seq, last_seq, attempt_id, epoch, from_runner_seq, at_ms, items)
      select value - ${count - 1}, value, ${origin?.attemptId ?? null}, ${origin?.epoch ?? null},
        ${origin?.fromRunnerSeq ?? null}, ${nowMs}, ${items}
      from counters where name = 'event_seq'`),
  ];
}

/**
 * As `appendEvents`, for one event that is stored only if the statement right before wrote one row.
 */
export function appendEventIfWritten(db: Database, event: StoredEvent): Statement[] {
  // Each statement applies only if the one before it wrote its row.
  return [
    db.run(sql`insert into counters (name, value) select 'event_seq', 1 where changes() = 1
      on conflict (name) do update set value = value + 1`),
    db.run(sql`insert into event_chunks (first_seq, last_seq, at_ms, items)
      select value, value, ${event.atMs}, ${JSON.stringify([event])} from counters
      where name = 'event_seq' and changes() = 1`),
  ];
}
