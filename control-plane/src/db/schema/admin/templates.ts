import { integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';

/** Prompt templates that people wrote; built-in ones are not stored. */
export const templates = sqliteTable(
  'templates',
  {
    template_id: text().primaryKey(),
    name: text().notNull(),
    /** The name for comparisons: lower case, trimmed. */
    name_key: text().notNull(),
    body: text().notNull(),
    created_at_ms: integer().notNull(),
    updated_at_ms: integer().notNull(),
  },
  (table) => [uniqueIndex('templates_name').on(table.name_key)],
);
export type TemplateRow = typeof templates.$inferSelect;
