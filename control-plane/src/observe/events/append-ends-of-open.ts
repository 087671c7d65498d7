import { and, desc, eq, type SQL, sql } from 'drizzle-orm';
import type { Database, Statement } from '../../db/database.ts';
import { eventChunks } from '../../db/schema/operation/events.ts';
import { seqsOfFirst } from './queries.ts';

/** So much of the newest that a lease told is looked at: hours of an agent's work. */
const READ = { chunks: 8_192, bytes: 4_194_304 };
/** The ends are one chunk, which nobody may be unable to read: of more, the newest are told. */
const ENDS_BYTES = 1_048_576;

/** The lease of an attempt that ends. */
type EndedLease = {
  attemptId: string;
  identifier: string;
  epoch: number;
  /**
   * Nobody ended the work: it is known to have run until its runner's last event, and until that runner
   * was heard here, in epoch milliseconds; 0 where that says nothing. Left out: it ran until now.
   */
  lastSeenAtMs?: number | undefined;
};

/**
 * Statements that end the turns and items that a lease began and nobody ended: a command whose engine
 * was stopped, whose runner was lost or whose host was cut off runs no more. To be put into the batch
 * that ends the lease, before its own events; nothing is stored where nothing is open.
 */
export function appendEndsOfOpen(db: Database, nowMs: number, lease: EndedLease): Statement[] {
  const { attemptId, epoch } = lease;
  // What was read once is not read again for its number: here the counter follows the chunk.
  return [
    db.run(sql`insert into event_chunks (first_seq, last_seq, attempt_id, epoch, at_ms, items)
      select value + 1, value + n, ${attemptId}, ${epoch}, ${nowMs}, items
      from counters, (select count(*) as n, json_group_array(json(event)) as items
        from (${openEnds(nowMs, lease)}))
      where name = 'event_seq' and n > 0`),
    db.run(sql`update counters
      set value = (select last_seq from event_chunks order by first_seq desc limit 1)
      where name = 'event_seq' and changes() = 1`),
  ];
}

/** One event for each thing whose newest event says that it began, in the order in which they began. */
function openEnds(nowMs: number, lease: EndedLease): SQL {
  const { attemptId, identifier, epoch } = lease;
  const where = and(eq(eventChunks.attempt_id, attemptId), eq(eventChunks.epoch, epoch));
  const newest = seqsOfFirst({ where, order: desc, limits: READ });
  return sql`
    select event from (
      select seq, event, sum(octet_length(event)) over (order by seq desc) as bytes from (
        select seq, json_object('type', 'attempt.event', 'atMs',
          max(coalesce(items ->> ('$[' || key || '].atMs'), 0), ${ranUntil(nowMs, lease)}), 'data', json_object(
            'attemptId', ${attemptId}, 'identifier', ${identifier}, 'epoch', ${epoch},
            'runnerSeq', null, 'kind', kind,
            'payload', json_set(items -> ('$[' || key || '].data.payload'), '$.state', 'ended',
              iif(kind = 'item', '$.item.status', '$.status'), 'interrupted'))) as event
        from (
          select first_seq as chunk_seq, key, max(first_seq + key) as seq,
            value ->> '$.data.kind' as kind, value ->> '$.data.payload.state' as state
          from event_chunks, json_each(iif(json_valid(items), items, '[]'))
          where first_seq in ${newest} and value ->> '$.data.kind' in ('turn', 'item')
          group by kind,
            coalesce(value ->> '$.data.payload.itemId', value ->> '$.data.payload.turnId')
        ), event_chunks
        where state = 'started' and first_seq = chunk_seq
      )
    )
    where bytes <= ${ENDS_BYTES}
    order by seq`;
}

/** Epoch milliseconds until which the work is known to have run. */
function ranUntil(nowMs: number, { attemptId, epoch, lastSeenAtMs }: EndedLease): SQL {
  if (lastSeenAtMs === undefined) return sql`${nowMs}`;
  // Its runner's: people write to it too.
  return sql`min(${nowMs}, max(${lastSeenAtMs}, coalesce((
    select at_ms from event_chunks where attempt_id = ${attemptId} and epoch = ${epoch}
      and from_runner_seq is not null order by from_runner_seq desc limit 1), 0)))`;
}
