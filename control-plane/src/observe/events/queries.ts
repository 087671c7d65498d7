import { QueryBuilder } from 'drizzle-orm/sqlite-core';
import { and, asc, desc, eq, gt, gte, inArray, type SQL, sql } from 'drizzle-orm';
import type { StreamEvent } from '@switchyard/shared/api/work/attempt';
import type { Database } from '../../db/database.ts';
import { counters, eventChunks, type StoredEvent } from '../../db/schema/operation/events.ts';
import { streamEvents } from './stream-events.ts';

/** Chunks of one read; a stream reads again for more. */
export const CHUNKS_PER_READ = 200;
/** Further chunks are left to the next read once this many bytes are read. */
export const BYTES_PER_READ = 65_536;
/**
 * As `BYTES_PER_READ`, for a page of one attempt's events: a libSQL server returns at most 10 MB.
 */
const ATTEMPT_BYTES_PER_READ = 1_048_576;

/**
 * Stored events after `afterSeq`, oldest first, and whether more may follow. Returns at least one
 * chunk with a new event, however large, and further chunks within the memory of one subscriber.
 */
export async function eventsAfter(
  db: Database,
  afterSeq: number,
): Promise<{ events: StreamEvent[]; more: boolean }> {
  // Chunks never overlap, so of those that begin up to afterSeq only the last may contain new
  // events. One that ends there is excluded, so that it does not use up the limit.
  const after = and(
    gte(
      eventChunks.first_seq,
      sql`coalesce((select max(first_seq) from event_chunks where first_seq <= ${afterSeq}), 0)`,
    ),
    gt(eventChunks.last_seq, afterSeq),
  );
  const limits = { chunks: CHUNKS_PER_READ, bytes: BYTES_PER_READ };
  const { chunks } = await firstChunks(db, { where: after, order: asc, limits });
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

/** The seq after which the newest `count` events follow; with 0 only future events. */
export async function seqBefore(db: Database, count: number): Promise<number> {
  const last = await lastEventSeq(db);
  if (count === 0) return last;
  const first = (await firstEventSeq(db)) ?? last + 1;
  return Math.max(last - count, first - 1);
}

/** seq of the oldest stored event; null when there is none. */
export async function firstEventSeq(db: Database): Promise<number | null> {
  const rows = await db
    .select({ seq: sql<number | null>`min(${eventChunks.first_seq})` })
    .from(eventChunks);
  return rows[0]?.seq ?? null;
}

/** Events of one attempt over all its leases, oldest first; fewer than `limit` only at the end. */
export async function attemptEvents(
  db: Database,
  input: { attemptId: string; afterSeq: number; limit: number },
): Promise<StreamEvent[]> {
  const events: StreamEvent[] = [];
  for (let isEnd = false; !isEnd && events.length < input.limit;) {
    const afterSeq = events.at(-1)?.seq ?? input.afterSeq;
    const where = and(
      eq(eventChunks.attempt_id, input.attemptId),
      gt(eventChunks.last_seq, afterSeq),
    );
    const limits = { chunks: input.limit - events.length, bytes: ATTEMPT_BYTES_PER_READ };
    const read = await firstChunks(db, { where, order: asc, limits });
    const fresh = read.chunks.flatMap(streamEvents).filter((event) => event.seq > afterSeq);
    events.push(...fresh);
    isEnd = read.isEnd || fresh.length === 0;
  }
  return events.slice(0, input.limit);
}

/**
 * The newest events of one attempt, oldest first: at most `limit`, and only as many as one read
 * returns.
 */
export async function recentAttemptEvents(
  db: Database,
  attemptId: string,
  limit: number,
): Promise<StreamEvent[]> {
  const where = eq(eventChunks.attempt_id, attemptId);
  const limits = { chunks: limit, bytes: ATTEMPT_BYTES_PER_READ };
  const { chunks } = await firstChunks(db, { where, order: desc, limits });
  return chunks.toReversed().flatMap(streamEvents).slice(-limit);
}

/** Which chunks to select, in which order, and up to which limits. */
type ChunkQuery = {
  where: SQL | undefined;
  order: typeof asc | typeof desc;
  limits: { chunks: number; bytes: number };
};

/**
 * The first chunks in an order: at least one if there is any, however large, and further ones up to
 * the limit of bytes. `isEnd` when no more follow.
 */
async function firstChunks(
  db: Database,
  query: ChunkQuery,
): Promise<{ chunks: { first_seq: number; items: StoredEvent[] }[]; isEnd: boolean }> {
  const { order, limits } = query;
  const chunks = await db
    .select({
      first_seq: eventChunks.first_seq,
      items: eventChunks.items,
      bytes: sql<number>`octet_length(items)`,
    })
    .from(eventChunks)
    .where(inArray(eventChunks.first_seq, seqsOfFirst(query)))
    .orderBy(order(eventChunks.first_seq));
  const bytes = chunks.reduce((sum, chunk) => sum + chunk.bytes, 0);
  return { chunks, isEnd: chunks.length < limits.chunks && bytes < limits.bytes };
}

/**
 * The numbers of these chunks. Only lengths are sorted and summed, so that the database does not
 * read the texts.
 */
export function seqsOfFirst({ where, order, limits }: ChunkQuery) {
  const query = new QueryBuilder();
  const sizes = query
    .select({ seq: eventChunks.first_seq, bytes: sql`octet_length(items)`.as('bytes') })
    .from(eventChunks)
    .where(where)
    .orderBy(order(eventChunks.first_seq))
    .limit(limits.chunks)
    .as('sizes');
  const sums = query
    .select({
      seq: sizes.seq,
      before: sql<number>`sum(bytes) over (order by ${order(sql`first_seq`)}) - bytes`.as('before'),
    })
    .from(sizes)
    .as('sums');
  return query
    .select({ seq: sql`first_seq` })
    .from(sums)
    .where(sql`before < ${limits.bytes}`);
}
