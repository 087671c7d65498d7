import { index, integer, primaryKey, real, sqliteTable, text } from 'drizzle-orm/sqlite-core';

/** What each rule remembers: above all when it fired last, so that a restart repeats nothing. */
export const alertRules = sqliteTable('alert_rules', {
  name: text().primaryKey(),
  /** The condition that the counts belong to; another one begins anew. */
  condition: text().notNull(),
  last_fired_at_ms: integer(),
  /** Newest history row, which further evaluations of its kind are added to. */
  history_id: text(),
});
export type AlertRuleRow = typeof alertRules.$inferSelect;

/** Matching events per rule and minute. */
export const alertCounts = sqliteTable(
  'alert_counts',
  {
    rule_name: text().notNull(),
    minute_ms: integer().notNull(),
    count: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.rule_name, table.minute_ms] })],
);

/** Evaluations (those alike as one row), triggers and cooldowns. */
export const alertHistory = sqliteTable(
  'alert_history',
  {
    history_id: text().primaryKey(),
    rule_name: text().notNull(),
    kind: text().$type<'evaluation' | 'trigger' | 'cooldown'>().notNull(),
    severity: text().$type<'info' | 'critical'>().notNull(),
    value: real(),
    threshold: real().notNull(),
    /** Times that this row stands for. */
    evaluations: integer().notNull(),
    message: text().notNull(),
    first_at_ms: integer().notNull(),
    last_at_ms: integer().notNull(),
  },
  (table) => [
    index('alert_history_at').on(table.first_at_ms, table.history_id),
    index('alert_history_rule').on(table.rule_name, table.first_at_ms),
  ],
);
export type AlertHistoryRow = typeof alertHistory.$inferSelect;
