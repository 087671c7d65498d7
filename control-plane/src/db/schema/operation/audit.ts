import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';

/** The audit log. Append-only: triggers refuse updates and deletions. */
export const audit = sqliteTable(
  'audit',
  {
    entry: integer().primaryKey({ autoIncrement: true }),
    at_ms: integer().notNull(),
    actor: text().notNull(),
    source: text().$type<'API' | 'wizard' | 'CLI' | 'runner' | 'service'>().notNull(),
    /** Object and verb, such as `issue.abort`. */
    operation: text().notNull(),
    path: text().notNull(),
    /** The object of the operation, such as an issue identifier. */
    subject: text(),
    request_id: text(),
    details: text({ mode: 'json' }).$type<Record<string, unknown>>().notNull(),
  },
  (table) => [index('audit_at').on(table.at_ms)],
);
