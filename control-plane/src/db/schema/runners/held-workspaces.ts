import { index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';

/**
 * Which runner may hold a workspace of which issue: written with every offer, deleted once the
 * workspace was removed after its issue ended in the tracker.
 */
export const heldWorkspaces = sqliteTable(
  'held_workspaces',
  {
    runner_id: text().notNull(),
    key: text().notNull(),
    tracker: text().notNull(),
    issue_id: text().notNull(),
    /** Increases with every offer, so that a running removal does not drop a newer workspace. */
    revision: integer().notNull().default(1),
  },
  (table) => [
    primaryKey({ columns: [table.runner_id, table.key] }),
    index('held_workspaces_issue').on(table.tracker, table.issue_id),
  ],
);
export type HeldWorkspaceRow = typeof heldWorkspaces.$inferSelect;
