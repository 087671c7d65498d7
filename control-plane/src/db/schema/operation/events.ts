import type { EventType } from '@switchyard/shared/api/event-type';
import { blob, index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';

/** One event inside a chunk; its seq is the chunk's first_seq plus its index. */
export type StoredEvent = {
  type: EventType;
  atMs: number;
  data: Record<string, unknown>;
};

/**
 * Events in chunks: one row for each flush, so that a busy attempt costs one write for many events.
 * There are only these two indexes, because every index adds writes.
 */
export const eventChunks = sqliteTable(
  'event_chunks',
  {
    first_seq: integer().primaryKey(),
    last_seq: integer().notNull(),
    attempt_id: text(),
    epoch: integer(),
    from_runner_seq: integer(),
    at_ms: integer().notNull(),
    items: text({ mode: 'json' }).$type<StoredEvent[]>().notNull(),
  },
  (table) => [
    index('event_chunks_attempt').on(table.attempt_id, table.epoch, table.from_runner_seq),
  ],
);

/** Named counters; `event_seq` is the seq of the last event. */
export const counters = sqliteTable('counters', {
  name: text().primaryKey(),
  value: integer().notNull(),
});

/** Large payloads (long events, diffs, session files) in parts of at most 1 MiB. */
export const blobs = sqliteTable(
  'blobs',
  {
    key: text().notNull(),
    part: integer().notNull(),
    parts: integer().notNull(),
    bytes: blob({ mode: 'buffer' }).$type<Uint8Array>().notNull(),
    created_at_ms: integer().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.key, table.part] }),
    // For retention: without the index each row would be read with its bytes, which precede the
    // time.
    index('blobs_created').on(table.created_at_ms),
  ],
);
