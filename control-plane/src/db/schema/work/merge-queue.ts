import type { MergeState } from '@switchyard/shared/api/pull-requests/merge-queue';
import type { ReasonCode } from '@switchyard/shared/api/work/reason-code';
import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';

/** Open pull requests that are merged by this service, or that it leaves to a person. */
export const mergeQueue = sqliteTable(
  'merge_queue',
  {
    pull_request_id: text().primaryKey(),
    repository_url: text().notNull(),
    base: text().notNull(),
    tracker: text().notNull(),
    issue_id: text().notNull(),
    state: text().$type<MergeState>().notNull(),
    /** Head of the branch for which the state holds. */
    commit_sha: text().notNull(),
    entered_by: text().notNull(),
    entered_at_ms: integer().notNull(),
    /** The attempt that tests the merge, or did so last; null: none has. */
    attempt_id: text(),
    /** Tests that ended without a result, since the pull request was queued. */
    tries: integer().notNull().default(0),
    /** The test does not begin before this time; null: at once. */
    not_before_ms: integer(),
    reason: text().notNull(),
    reason_code: text().$type<ReasonCode>().notNull(),
    updated_at_ms: integer().notNull(),
  },
  (table) => [index('merge_queue_base').on(table.repository_url, table.base)],
);
export type MergeQueueRow = typeof mergeQueue.$inferSelect;
