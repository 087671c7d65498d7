import { sql } from 'drizzle-orm';
import { index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import type { CheckOutcome } from '@switchyard/shared/checks/check-spec';

/** What came out of the declared checks of an attempt: the last run of each. */
export const attemptChecks = sqliteTable(
  'attempt_checks',
  {
    attempt_id: text().notNull(),
    name: text().notNull(),
    state: text().$type<'running' | CheckOutcome>().notNull(),
    /** Lease under which it ran. */
    epoch: integer().notNull(),
    commit_sha: text().notNull(),
    /** On this commit, counted from 1. */
    run: integer().notNull(),
    exit_code: integer(),
    duration_ms: integer(),
    /** The end of what it printed. */
    output: text(),
    /** Files that it changed and that were put back; null: none. */
    changed_files: text({ mode: 'json' }).$type<string[]>(),
    message: text(),
    started_at_ms: integer().notNull(),
    ended_at_ms: integer(),
  },
  (table) => [
    primaryKey({ columns: [table.attempt_id, table.name] }),
    // For retention, which repeats the condition to the letter.
    index('attempt_checks_output')
      .on(table.ended_at_ms)
      .where(sql`${table.output} is not null`),
  ],
);
export type AttemptCheckRow = typeof attemptChecks.$inferSelect;
