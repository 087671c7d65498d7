import { index, integer, real, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import type { TokenUsage } from '@switchyard/shared/api/attempt';

/**
 * What each engine thread has used so far, as absolute totals. An issue's usage is the sum over its
 * threads, whatever number of attempts went on with one.
 */
export const threadUsage = sqliteTable(
  'thread_usage',
  {
    thread_id: text().primaryKey(),
    tracker: text().notNull(),
    issue_id: text().notNull(),
    model: text(),
    tokens: text({ mode: 'json' }).$type<TokenUsage>().notNull(),
    cost_usd: real(),
    updated_at_ms: integer().notNull(),
  },
  (table) => [index('thread_usage_issue').on(table.tracker, table.issue_id)],
);

/** What all issues used per UTC day, for the daily budgets. */
export const usageDays = sqliteTable('usage_days', {
  /** `YYYY-MM-DD`. */
  day: text().primaryKey(),
  tokens: integer().notNull(),
  cost_usd: real().notNull(),
});
