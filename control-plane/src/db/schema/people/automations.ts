import { sql } from 'drizzle-orm';
import { index, integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';

/** When each configured automation is due next. */
export const automationTimers = sqliteTable(
  'automation_timers',
  {
    name: text().primaryKey(),
    /** Schedule and time zone that `next_run_at_ms` was reckoned with. */
    schedule: text().notNull(),
    next_run_at_ms: integer(),
  },
  (table) => [index('automation_timers_due').on(table.next_run_at_ms)],
);

/** What automations did; at most one run of each is under way. */
export const automationRuns = sqliteTable(
  'automation_runs',
  {
    run_id: text().primaryKey(),
    automation_name: text().notNull(),
    mode: text().$type<'implement' | 'report' | 'refresh'>().notNull(),
    trigger: text().$type<'schedule' | 'missed' | 'manual'>().notNull(),
    actor: text().notNull(),
    status: text().$type<'running' | 'completed' | 'failed' | 'skipped'>().notNull(),
    /** `creating` while the tracker is asked to make the issue: no second one is ever asked for. */
    step: text().$type<'queued' | 'creating' | 'working'>().notNull(),
    /** What to make, as it was configured when the run began. */
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
    /** Why it was skipped or failed, or what became of it. */
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
