import { index, integer, real, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import type { TokenUsage } from '@switchyard/shared/api/work/attempt';

/**
 * What each lease of an attempt has used so far, as `<attempt>/<epoch>`; of runners that tell only
 * what a whole thread used, each thread, by that one's id. An issue's usage is the sum.
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
    /** Tokens of models without a price: what the cost lacks. */
    unpriced_tokens: integer().notNull().default(0),
    /** When the model last answered: a report without new tokens changes nothing here. */
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
  /** Tokens of models without a price: what the cost lacks. */
  unpriced_tokens: integer().notNull().default(0),
});

/**
 * What all threads ever used and how many attempts there were, in one row. Triggers on both tables
 * keep it, so that nobody has to add up the whole history.
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
  /** Tokens of models without a price: what the cost lacks. */
  unpriced_tokens: integer().notNull().default(0),
});
