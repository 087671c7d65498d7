import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';

/** Who changed what. Append-only: triggers refuse update and delete. */
export const audit = sqliteTable(
  'audit',
  {
    entry: integer().primaryKey({ autoIncrement: true }),
    at_ms: integer().notNull(),
    actor: text().notNull(),
    source: text().$type<'API' | 'wizard' | 'CLI' | 'runner' | 'service'>().notNull(),
    /** Verb and object, for example `issue.abort`. */
    operation: text().notNull(),
    path: text().notNull(),
    /** What it was done to, for example an issue identifier. */
    subject: text(),
    request_id: text(),
    details: text({ mode: 'json' }).$type<Record<string, unknown>>().notNull(),
  },
  (table) => [index('audit_at').on(table.at_ms)],
);
