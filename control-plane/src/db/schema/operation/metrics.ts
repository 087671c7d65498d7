import { primaryKey, real, sqliteTable, text } from 'drizzle-orm/sqlite-core';

/** What was counted, where no process lives long enough to keep it: one row per series. */
export const metricSeries = sqliteTable(
  'metric_series',
  {
    name: text().notNull(),
    /** As in the exposition: `method="GET",status="200"`. */
    labels: text().notNull(),
    value: real().notNull(),
  },
  (table) => [primaryKey({ columns: [table.name, table.labels] })],
);
