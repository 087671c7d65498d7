import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';

/**
 * Moves of issues between tracker states: by people through the API, by this service, and observed
 * ones.
 */
export const transitions = sqliteTable(
  'transitions',
  {
    entry: integer().primaryKey({ autoIncrement: true }),
    tracker: text().notNull(),
    issue_id: text().notNull(),
    identifier: text().notNull(),
    from_state: text().notNull(),
    to_state: text().notNull(),
    reason: text(),
    /** A caller's name, `service` for this service's moves, `tracker` for observed ones. */
    actor: text().notNull(),
    at_ms: integer().notNull(),
  },
  (table) => [
    index('transitions_identifier').on(table.identifier, table.entry),
    index('transitions_at').on(table.at_ms),
  ],
);
export type TransitionRow = typeof transitions.$inferSelect;
