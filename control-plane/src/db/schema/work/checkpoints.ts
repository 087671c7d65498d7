import { index, integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';
import type { TokenUsage } from '@switchyard/shared/api/work/attempt';
import type { CheckpointTrigger } from '@switchyard/shared/api/work/checkpoint';
import type { DiffStat } from '@switchyard/shared/api/work/diff-stat';

/** Points from which an issue's work can continue, whatever happens to its runner. */
export const checkpoints = sqliteTable(
  'checkpoints',
  {
    checkpoint_id: text().primaryKey(),
    attempt_id: text().notNull(),
    tracker: text().notNull(),
    issue_id: text().notNull(),
    epoch: integer().notNull(),
    ordinal: integer().notNull(),
    trigger: text().$type<CheckpointTrigger>().notNull(),
    event_seq: integer().notNull(),
    thread_id: text(),
    turn_id: text(),
    /** Work-in-progress commit on the hidden ref; null when there were no changes. */
    commit_sha: text(),
    base_commit: text(),
    diff_blob: text(),
    diff_stat: text({ mode: 'json' }).$type<DiffStat>(),
    /** Problems of the work at that point, for people; null: none, or it was not checked. */
    problems: text({ mode: 'json' }).$type<string[]>(),
    /** The engine's session file, compressed. */
    session_blob: text(),
    tokens: text({ mode: 'json' }).$type<TokenUsage>().notNull(),
    created_at_ms: integer().notNull(),
  },
  (table) => [
    uniqueIndex('checkpoints_attempt').on(table.attempt_id, table.epoch, table.ordinal),
    index('checkpoints_issue').on(table.tracker, table.issue_id, table.created_at_ms),
  ],
);
export type CheckpointRow = typeof checkpoints.$inferSelect;
