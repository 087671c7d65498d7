import { index, integer, real, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import type { TokenUsage } from '@switchyard/shared/api/work/attempt';

/**
 * Usage of each lease of an attempt, as `<attempt>/<epoch>`; for runners that report only totals of
 * a thread, of each thread by id. An issue's usage is the sum.
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
    /** Tokens of models without a price, which the cost does not include. */
    unpriced_tokens: integer().notNull().default(0),
    /** When the model last answered: a report without new tokens does not change it. */
    updated_at_ms: integer().notNull(),
  },
  (table) => [index('thread_usage_issue').on(table.tracker, table.issue_id)],
);

/** Usage of all issues by UTC day, for the daily budgets. */
export const usageDays = sqliteTable('usage_days', {
  /** `YYYY-MM-DD`. */
  day: text().primaryKey(),
  tokens: integer().notNull(),
  cost_usd: real().notNull(),
  /** Tokens of models without a price, which the cost does not include. */
  unpriced_tokens: integer().notNull().default(0),
});

/**
 * Total usage of all threads and number of attempts, in one row. Triggers on both tables maintain
 * it, so that the history need not be summed up.
 */
export const usageTotals = sqliteTable('usage_totals', {
  id: integer().primaryKey(),
  attempts: integer().notNull(),
  input: integer().notNull(),
  cached_input: integer().notNull(),
  output: integer().notNull(),
  reasoning: integer().notNull(),
  total: integer().notNull(),
  /** Null until a thread's cost is known. */
  cost_usd: real(),
  /** Tokens of models without a price, which the cost does not include. */
  unpriced_tokens: integer().notNull().default(0),
});
