import type { EventType } from '@switchyard/shared/api/event-type';
import { blob, index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';

/** One event inside a chunk; its seq is the chunk's first_seq plus its index. */
export type StoredEvent = {
  type: EventType;
  atMs: number;
  data: Record<string, unknown>;
};

/**
 * Events as chunks: one row per flush, so that a busy attempt costs one write for many events.
 * No other index than the two here: every index would multiply the rows written.
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

/** Named counters; `event_seq` is the last event's seq. */
export const counters = sqliteTable('counters', {
  name: text().primaryKey(),
  value: integer().notNull(),
});

/** Payloads over the event limit, diffs and session files, in parts of at most 1 MiB. */
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
    // For retention: the time stands behind the bytes, which are all read where it is looked for.
    index('blobs_created').on(table.created_at_ms),
  ],
);
