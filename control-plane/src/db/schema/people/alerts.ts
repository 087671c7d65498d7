import { index, integer, primaryKey, real, sqliteTable, text } from 'drizzle-orm/sqlite-core';

/** The state of each alert rule, above all its last firing, so that a restart repeats nothing. */
export const alertRules = sqliteTable('alert_rules', {
  name: text().primaryKey(),
  /** The condition that the counts belong to; a changed one starts again. */
  condition: text().notNull(),
  last_fired_at_ms: integer(),
  /** Newest history row, which further evaluations of its kind extend. */
  history_id: text(),
});
export type AlertRuleRow = typeof alertRules.$inferSelect;

/** Number of matching events by rule and minute. */
export const alertCounts = sqliteTable(
  'alert_counts',
  {
    rule_name: text().notNull(),
    minute_ms: integer().notNull(),
    count: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.rule_name, table.minute_ms] })],
);

/** History of evaluations (equal ones share a row), firings and cooldowns. */
export const alertHistory = sqliteTable(
  'alert_history',
  {
    history_id: text().primaryKey(),
    rule_name: text().notNull(),
    kind: text().$type<'evaluation' | 'trigger' | 'cooldown'>().notNull(),
    severity: text().$type<'info' | 'critical'>().notNull(),
    value: real(),
    threshold: real().notNull(),
    /** Number of evaluations that this row covers. */
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
