import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import type { AttemptPhase, AttemptStatus } from '@switchyard/shared/api/work/attempt';

/** The one instance that decides. A single row, taken over when its time is up. */
export const leader = sqliteTable('leader', {
  id: integer().primaryKey(),
  instance_id: text().notNull(),
  /** Where it runs, so that a successor on the same host can see that it is gone. */
  holder: text().notNull(),
  term: integer().notNull(),
  until_ms: integer().notNull(),
});

/** An attempt that was live when an instance began to lead. */
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

/** What each start found; what became of it is told from the attempts' own rows. */
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
