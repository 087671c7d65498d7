import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';

/** The overlay as one row, in its original spelling. */
export const configOverlay = sqliteTable('config_overlay', {
  id: integer().primaryKey(),
  value: text({ mode: 'json' }).$type<Record<string, unknown>>().notNull(),
  version: integer().notNull(),
  updated_at_ms: integer().notNull(),
});

/** Facts of the whole service by name: `paused`, `instance`, … */
export const facts = sqliteTable('facts', {
  name: text().primaryKey(),
  value: text({ mode: 'json' }).$type<Record<string, unknown>>().notNull(),
  updated_at_ms: integer().notNull(),
});
