import { and, desc, eq, type SQL, sql } from 'drizzle-orm';
import type { Database, Statement } from '../../db/database.ts';
import { eventChunks } from '../../db/schema/operation/events.ts';
import { seqsOfFirst } from './queries.ts';

/** Newest events of a lease that are searched: they cover hours of an agent's work. */
const READ = { chunks: 8_192, bytes: 4_194_304 };
/**
 * The end events form one chunk that every reader must be able to load; beyond this only the newest
 * are written.
 */
const ENDS_BYTES = 1_048_576;

/** The lease of an attempt that is ending. */
type EndedLease = {
  attemptId: string;
  identifier: string;
  epoch: number;
  /**
   * Set when the work ended without a report: it ran at least until its runner's last event, and
   * until the runner was last seen, epoch milliseconds (0: not known). Left out: it ran until now.
   */
  lastSeenAtMs?: number | undefined;
};

/**
 * Statements that end the open turns and items of a lease: a command whose engine was stopped or
 * whose runner was lost no longer runs. For the batch that ends the lease, before its own events; a
 * no-op if nothing is open.
 */
export function appendEndsOfOpen(db: Database, nowMs: number, lease: EndedLease): Statement[] {
  const { attemptId, epoch } = lease;
  // The open items are read once: the counter is set from the new chunk instead of counting them
  // again.
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

/**
 * An end event for each turn or item whose newest event is its start, in the order of their starts.
 */
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

/** Time until which the work is known to have run, epoch milliseconds. */
function ranUntil(nowMs: number, { attemptId, epoch, lastSeenAtMs }: EndedLease): SQL {
  if (lastSeenAtMs === undefined) return sql`${nowMs}`;
  // Only the runner's events count, because people's messages are events of the attempt too.
  return sql`min(${nowMs}, max(${lastSeenAtMs}, coalesce((
    select at_ms from event_chunks where attempt_id = ${attemptId} and epoch = ${epoch}
      and from_runner_seq is not null order by from_runner_seq desc limit 1), 0)))`;
}
