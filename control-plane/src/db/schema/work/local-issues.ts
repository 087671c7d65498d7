import { index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import type { LocalState } from '@switchyard/shared/api/work/local-issue';

/** Issues of the built-in tracker: its own data, separate from the recorded issues. */
export const localIssues = sqliteTable(
  'local_issues',
  {
    id: text().primaryKey(),
    number: integer().notNull().unique(),
    identifier: text().notNull().unique(),
    title: text().notNull(),
    description: text(),
    state: text().$type<LocalState>().notNull(),
    priority: integer(),
    labels: text({ mode: 'json' }).$type<string[]>().notNull(),
    /** Ids of the local issues that block it. */
    blocked_by: text({ mode: 'json' }).$type<string[]>().notNull(),
    /** Id of the local issue that it is a part of; null: none. */
    parent_id: text(),
    created_at_ms: integer().notNull(),
    updated_at_ms: integer().notNull(),
  },
  (table) => [
    index('local_issues_parent').on(table.parent_id),
    index('local_issues_state').on(table.state),
    index('local_issues_updated').on(table.updated_at_ms),
  ],
);
export type LocalIssueRow = typeof localIssues.$inferSelect;

export const localComments = sqliteTable(
  'local_comments',
  {
    id: text().primaryKey(),
    issue_id: text().notNull(),
    /** Key of the comment that the service itself maintains: unique within the issue. */
    service_key: text(),
    author: text().notNull(),
    body: text().notNull(),
    created_at_ms: integer().notNull(),
    updated_at_ms: integer().notNull(),
  },
  (table) => [index('local_comments_issue').on(table.issue_id, table.created_at_ms)],
);

export const localAttachments = sqliteTable(
  'local_attachments',
  {
    issue_id: text().notNull(),
    url: text().notNull(),
    title: text().notNull(),
    created_at_ms: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.issue_id, table.url] })],
);
