import { integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';

/** Prompt templates that people wrote; the built-in ones are no rows. */
export const templates = sqliteTable(
  'templates',
  {
    template_id: text().primaryKey(),
    name: text().notNull(),
    /** The name as it is compared: lower case, outer blanks gone. */
    name_key: text().notNull(),
    body: text().notNull(),
    created_at_ms: integer().notNull(),
    updated_at_ms: integer().notNull(),
  },
  (table) => [uniqueIndex('templates_name').on(table.name_key)],
);
export type TemplateRow = typeof templates.$inferSelect;
