import { primaryKey, real, sqliteTable, text } from 'drizzle-orm/sqlite-core';

/** Metrics for runtimes without long-lived processes: one row for each series. */
export const metricSeries = sqliteTable(
  'metric_series',
  {
    name: text().notNull(),
    /** Labels as in the exposition: `method="GET",status="200"`. */
    labels: text().notNull(),
    value: real().notNull(),
  },
  (table) => [primaryKey({ columns: [table.name, table.labels] })],
);
