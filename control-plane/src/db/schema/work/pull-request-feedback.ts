import { index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';

/** Feedback on pull requests, in rounds; each round is input for one attempt. */
export const pullRequestFeedback = sqliteTable(
  'pull_request_feedback',
  {
    pull_request_id: text().notNull(),
    round: integer().notNull(),
    tracker: text().notNull(),
    issue_id: text().notNull(),
    /** Keys of its items, such as `comment:12`, so that nothing starts an attempt twice. */
    keys: text({ mode: 'json' }).$type<string[]>().notNull(),
    body: text().notNull(),
    /** False: the limit was reached, and no attempt was started. */
    started: integer({ mode: 'boolean' }).notNull(),
    created_at_ms: integer().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.pull_request_id, table.round] }),
    index('pull_request_feedback_issue').on(table.tracker, table.issue_id, table.created_at_ms),
  ],
);
export type PullRequestFeedbackRow = typeof pullRequestFeedback.$inferSelect;
