import { index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';

/** What a pull request's host said about our work, in rounds: each is material for one attempt. */
export const pullRequestFeedback = sqliteTable(
  'pull_request_feedback',
  {
    pull_request_id: text().notNull(),
    round: integer().notNull(),
    tracker: text().notNull(),
    issue_id: text().notNull(),
    /** What it holds, for example `comment:12`; nothing wakes an issue twice. */
    keys: text({ mode: 'json' }).$type<string[]>().notNull(),
    body: text().notNull(),
    /** False: the limit was reached, so that it started nothing. */
    started: integer({ mode: 'boolean' }).notNull(),
    created_at_ms: integer().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.pull_request_id, table.round] }),
    index('pull_request_feedback_issue').on(table.tracker, table.issue_id, table.created_at_ms),
  ],
);
export type PullRequestFeedbackRow = typeof pullRequestFeedback.$inferSelect;
