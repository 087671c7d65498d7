import { type SQL, sql } from 'drizzle-orm';
import type { Database, Statement } from '../../db/database.ts';

/** What an attempt has open lies in its newest chunks: what was begun before them counts as ended. */
const CHUNKS_READ = 64;

/** The lease of an attempt that ends. */
type EndedLease = { attemptId: string; identifier: string; epoch: number };

/**
 * Statements that end, as of now, the turns and items that a lease began and nobody ended: a command
 * whose engine was stopped, whose runner was lost or whose host was cut off runs no more. To be put
 * into the batch that ends the lease, before its own events; nothing is stored where nothing is open.
 */
export function appendEndsOfOpen(db: Database, nowMs: number, lease: EndedLease): Statement[] {
  const { attemptId, epoch } = lease;
  const ends = sql`(select count(*) as n, json_group_array(json(event)) as items
    from (${openEnds(nowMs, lease)}))`;
  return [
    db.run(sql`insert into counters (name, value)
      select 'event_seq', n from ${ends} where n > 0
      on conflict (name) do update set value = value + excluded.value`),
    db.run(sql`insert into event_chunks
        (first_seq, last_seq, attempt_id, epoch, from_runner_seq, at_ms, items)
      select value - n + 1, value, ${attemptId}, ${epoch}, null, ${nowMs}, items
      from counters, ${ends} where name = 'event_seq' and n > 0`),
  ];
}

/** One event for each thing whose newest event says that it began, in the order in which they began. */
function openEnds(nowMs: number, { attemptId, identifier, epoch }: EndedLease): SQL {
  return sql`
    select json_object('type', 'attempt.event', 'atMs', ${nowMs}, 'data', json_object(
        'attemptId', ${attemptId}, 'identifier', ${identifier}, 'epoch', ${epoch}, 'kind', kind,
        'payload', json_set(payload, '$.state', 'ended',
          iif(kind = 'item', '$.item.status', '$.status'), 'interrupted'))) as event
    from (
      select value ->> '$.data.kind' as kind, value -> '$.data.payload' as payload,
        value ->> '$.data.payload.state' as state, max(first_seq + key) as seq
      from (select first_seq, items from event_chunks
          where attempt_id = ${attemptId} and epoch = ${epoch}
          order by first_seq desc limit ${CHUNKS_READ}), json_each(items)
      where value ->> '$.data.kind' in ('turn', 'item')
      group by kind, coalesce(value ->> '$.data.payload.itemId', value ->> '$.data.payload.turnId')
    )
    where state = 'started'
    order by seq`;
}
