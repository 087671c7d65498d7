import { sql } from 'drizzle-orm';
import { index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import type { CheckOutcome } from '@switchyard/shared/checks/check-spec';

/** Results of an attempt's declared checks: the last run of each. */
export const attemptChecks = sqliteTable(
  'attempt_checks',
  {
    attempt_id: text().notNull(),
    name: text().notNull(),
    state: text().$type<'running' | CheckOutcome>().notNull(),
    /** Lease under which the check ran. */
    epoch: integer().notNull(),
    commit_sha: text().notNull(),
    /** Number of the run on this commit, from 1. */
    run: integer().notNull(),
    exit_code: integer(),
    duration_ms: integer(),
    /** The end of the check's output. */
    output: text(),
    /** Files that the check changed and that were restored; null: none. */
    changed_files: text({ mode: 'json' }).$type<string[]>(),
    message: text(),
    started_at_ms: integer().notNull(),
    ended_at_ms: integer(),
  },
  (table) => [
    primaryKey({ columns: [table.attempt_id, table.name] }),
    // For retention, whose query must repeat the condition literally.
    index('attempt_checks_output')
      .on(table.ended_at_ms)
      .where(sql`${table.output} is not null`),
  ],
);
export type AttemptCheckRow = typeof attemptChecks.$inferSelect;
