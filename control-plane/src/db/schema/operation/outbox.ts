import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';

/**
 * Effects on the outside world, stored in the transaction that decides them and done afterwards.
 * `key` makes an effect happen once; `revision` lets a newer wish replace an unfinished one.
 */
export const outbox = sqliteTable(
  'outbox',
  {
    key: text().primaryKey(),
    kind: text().notNull(),
    tracker: text(),
    issue_id: text(),
    attempt_id: text(),
    payload: text({ mode: 'json' }).$type<Record<string, unknown>>().notNull(),
    status: text().$type<'pending' | 'done' | 'dead'>().notNull().default('pending'),
    revision: integer().notNull().default(1),
    tries: integer().notNull().default(0),
    next_try_at_ms: integer().notNull(),
    last_error: text(),
    created_at_ms: integer().notNull(),
    done_at_ms: integer(),
  },
  (table) => [
    index('outbox_due').on(table.status, table.next_try_at_ms),
    index('outbox_done').on(table.done_at_ms),
    index('outbox_issue').on(table.issue_id, table.created_at_ms),
  ],
);
export type OutboxRow = typeof outbox.$inferSelect;

/** Periodic and one-off timers that belong to no other row: `poll`, `lease_sweep`, … */
export const timers = sqliteTable('timers', {
  name: text().primaryKey(),
  due_at_ms: integer().notNull(),
  payload: text({ mode: 'json' }).$type<Record<string, unknown>>().notNull(),
});
