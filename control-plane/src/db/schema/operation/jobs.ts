import { sql } from 'drizzle-orm';
import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';

/**
 * Deferred work: effects on the outside world, stored in the batch that decides them, deliveries of
 * notifications, and the service's timers. `key` makes a job unique; `revision` lets a newer
 * request replace an unfinished one.
 */
export const jobs = sqliteTable(
  'jobs',
  {
    key: text().primaryKey(),
    kind: text().notNull(),
    /** Jobs of one queue run one after another, in order of time and key. */
    queue: text(),
    tracker: text(),
    issue_id: text(),
    attempt_id: text(),
    payload: text({ mode: 'json' }).$type<Record<string, unknown>>().notNull(),
    status: text().$type<'pending' | 'done' | 'dead'>().notNull().default('pending'),
    revision: integer().notNull().default(1),
    tries: integer().notNull().default(0),
    /** Not run before this time. Moved later to claim a job that continues in the background. */
    due_at_ms: integer().notNull(),
    last_error: text(),
    created_at_ms: integer().notNull(),
    done_at_ms: integer(),
  },
  (table) => [
    index('jobs_due').on(table.status, table.due_at_ms),
    index('jobs_done').on(table.done_at_ms),
    index('jobs_issue').on(table.issue_id, table.created_at_ms),
    index('jobs_queue')
      .on(table.queue, table.created_at_ms, table.key)
      .where(sql`${table.status} = 'pending'`),
  ],
);
export type JobRow = typeof jobs.$inferSelect;
