import { sql } from 'drizzle-orm';
import { index, integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';

/** When each configured automation is due next. */
export const automationTimers = sqliteTable(
  'automation_timers',
  {
    name: text().primaryKey(),
    /** Schedule and time zone from which `next_run_at_ms` was computed. */
    schedule: text().notNull(),
    next_run_at_ms: integer(),
  },
  (table) => [index('automation_timers_due').on(table.next_run_at_ms)],
);

/** Runs of automations; at most one of each is in progress. */
export const automationRuns = sqliteTable(
  'automation_runs',
  {
    run_id: text().primaryKey(),
    automation_name: text().notNull(),
    mode: text().$type<'implement' | 'report' | 'refresh'>().notNull(),
    trigger: text().$type<'schedule' | 'missed' | 'manual'>().notNull(),
    actor: text().notNull(),
    status: text().$type<'running' | 'completed' | 'failed' | 'skipped'>().notNull(),
    /** `creating` while the tracker creates the issue, so that a second one is never requested. */
    step: text().$type<'queued' | 'creating' | 'working'>().notNull(),
    /** The work as it was configured when the run began. */
    work: text({ mode: 'json' })
      .$type<{
        title: string;
        prompt: string;
        labels: string[];
        priority: number | null;
        repo: string | null;
      }>()
      .notNull(),
    due_at_ms: integer().notNull(),
    started_at_ms: integer().notNull(),
    ended_at_ms: integer(),
    tracker: text(),
    issue_id: text(),
    identifier: text(),
    /** Why the run was skipped or failed, or its result. */
    message: text(),
    /** The agent's last message, for mode `report`. */
    report: text(),
  },
  (table) => [
    index('automation_runs_started').on(table.started_at_ms, table.run_id),
    index('automation_runs_name').on(table.automation_name, table.started_at_ms),
    uniqueIndex('automation_runs_running')
      .on(table.automation_name)
      .where(sql`status = 'running'`),
  ],
);
export type AutomationRunRow = typeof automationRuns.$inferSelect;
