import { and, asc, desc, eq, gt, gte, inArray, lte, sql } from 'drizzle-orm';
import type { StreamEvent } from '@switchyard/shared/api/work/attempt';
import type { Database } from '../../db/database.ts';
import { counters, eventChunks } from '../../db/schema/operation/events.ts';
import { streamEvents } from './stream-event.ts';

/** Chunks read in one go; an SSE listener comes back for more. */
export const CHUNKS_PER_READ = 200;
/** Further chunks are left for the next time once those before them have so much. */
export const BYTES_PER_READ = 65_536;

/**
 * Stored events after `afterSeq`, oldest first, and whether more may follow. While there are any, at
 * least one chunk with a new one, however large, and then as many chunks as stay within the bytes
 * that one listener may keep in memory.
 */
export async function eventsAfter(
  db: Database,
  afterSeq: number,
): Promise<{ events: StreamEvent[]; more: boolean }> {
  // Chunks never overlap, so of those that begin up to afterSeq only the last may end after it. One
  // that ends there has nothing new: it must not use up the bytes that are for the next.
  const after = and(
    gte(
      eventChunks.first_seq,
      sql`coalesce((select max(first_seq) from event_chunks where first_seq <= ${afterSeq}), 0)`,
    ),
    gt(eventChunks.last_seq, afterSeq),
  );
  // Lengths alone: the database then leaves the texts themselves on the disk.
  const sizes = db
    .select({ seq: eventChunks.first_seq, bytes: sql`octet_length(items)`.as('bytes') })
    .from(eventChunks)
    .where(after)
    .orderBy(asc(eventChunks.first_seq))
    .limit(CHUNKS_PER_READ)
    .as('sizes');
  const sums = db
    .select({
      seq: sizes.seq,
      before: sql<number>`sum(bytes) over (order by first_seq) - bytes`.as('before'),
    })
    .from(sizes)
    .as('sums');
  const last = db
    .select({ seq: sql`max(first_seq)` })
    .from(sums)
    .where(sql`before < ${BYTES_PER_READ}`);
  const chunks = await db
    .select({ first_seq: eventChunks.first_seq, items: eventChunks.items })
    .from(eventChunks)
    .where(and(after, lte(eventChunks.first_seq, sql`(${last})`)))
    .orderBy(asc(eventChunks.first_seq));
  const events = chunks.flatMap(streamEvents).filter((event) => event.seq > afterSeq);
  return { events, more: events.length > 0 };
}

/** seq of the newest event; 0 when there is none. */
export async function lastEventSeq(db: Database): Promise<number> {
  const rows = await db
    .select({ value: counters.value })
    .from(counters)
    .where(eq(counters.name, 'event_seq'));
  return rows[0]?.value ?? 0;
}

/** seq after which the newest `count` events lie; at 0 nothing but what is to come. */
export async function seqBefore(db: Database, count: number): Promise<number> {
  const last = await lastEventSeq(db);
  if (count === 0) return last;
  const first = (await firstEventSeq(db)) ?? last + 1;
  return Math.max(last - count, first - 1);
}

/** seq of the oldest event still stored; null when none is. */
export async function firstEventSeq(db: Database): Promise<number | null> {
  const rows = await db
    .select({ seq: sql<number | null>`min(${eventChunks.first_seq})` })
    .from(eventChunks);
  return rows[0]?.seq ?? null;
}

/** Events of one attempt over all its leases, oldest first. */
export async function attemptEvents(
  db: Database,
  input: { attemptId: string; afterSeq: number; limit: number },
): Promise<StreamEvent[]> {
  const chunks = await db
    .select({ first_seq: eventChunks.first_seq, items: eventChunks.items })
    .from(eventChunks)
    .where(
      and(eq(eventChunks.attempt_id, input.attemptId), gt(eventChunks.last_seq, input.afterSeq)),
    )
    .orderBy(asc(eventChunks.first_seq))
    .limit(input.limit);
  return chunks
    .flatMap(streamEvents)
    .filter((event) => event.seq > input.afterSeq)
    .slice(0, input.limit);
}

/** The newest events of one attempt, oldest first. */
export async function recentAttemptEvents(
  db: Database,
  attemptId: string,
  limit: number,
): Promise<StreamEvent[]> {
  const chunks = await db
    .select({ first_seq: eventChunks.first_seq, items: eventChunks.items })
    .from(eventChunks)
    .where(
      inArray(
        eventChunks.first_seq,
        // By the index alone: sorting the chunks themselves would read all that a long attempt has.
        db
          .select({ first_seq: eventChunks.first_seq })
          .from(eventChunks)
          .where(eq(eventChunks.attempt_id, attemptId))
          .orderBy(desc(eventChunks.first_seq))
          .limit(limit),
      ),
    )
    .orderBy(desc(eventChunks.first_seq));
  return chunks.toReversed().flatMap(streamEvents).slice(-limit);
}
