import { index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';

/** Workspaces as last reported by their runner. */
export const workspaces = sqliteTable(
  'workspaces',
  {
    runner_id: text().notNull(),
    key: text().notNull(),
    path: text().notNull(),
    identifier: text().notNull(),
    disk_bytes: integer().notNull(),
    /** False: only a part of the files was counted. */
    disk_complete: integer({ mode: 'boolean' }).notNull(),
    last_modified_at_ms: integer().notNull(),
    in_use: integer({ mode: 'boolean' }).notNull(),
    reported_at_ms: integer().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.runner_id, table.key] }),
    index('workspaces_key').on(table.key),
  ],
);
export type WorkspaceRow = typeof workspaces.$inferSelect;
