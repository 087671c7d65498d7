import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import type { AttemptPhase, AttemptStatus } from '@switchyard/shared/api/work/attempt';

/** The leading instance: a single row that is taken over when it expires. */
export const leader = sqliteTable('leader', {
  id: integer().primaryKey(),
  instance_id: text().notNull(),
  /** Host and process, so that a successor on the same host can see that the process has ended. */
  holder: text().notNull(),
  term: integer().notNull(),
  until_ms: integer().notNull(),
});

/** An attempt that was live when an instance became the leader. */
export type FoundAttempt = {
  attemptId: string;
  identifier: string;
  number: number;
  status: AttemptStatus;
  phase: AttemptPhase | null;
  runnerId: string | null;
  epoch: number;
  released: boolean;
};

/** What each start found; what became of it follows from the attempts' rows. */
export const recoveryReports = sqliteTable(
  'recovery_reports',
  {
    report_id: text().primaryKey(),
    instance_id: text().notNull(),
    started_at_ms: integer().notNull(),
    found: text({ mode: 'json' }).$type<FoundAttempt[]>().notNull(),
  },
  (table) => [index('recovery_reports_started').on(table.started_at_ms)],
);
