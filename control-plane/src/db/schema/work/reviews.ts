import type { ReviewState } from '@switchyard/shared/api/pull-requests/review';
import type { ReviewFinding, ReviewVerdict } from '@switchyard/shared/review/review-result';
import type { ReasonCode } from '@switchyard/shared/api/work/reason-code';
import { sql } from 'drizzle-orm';
import { index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';

/** Reviews of pull requests by agents, each of one commit. */
export const reviews = sqliteTable(
  'reviews',
  {
    pull_request_id: text().notNull(),
    /** Counts the reviews of the pull request, from 1. */
    number: integer().notNull(),
    tracker: text().notNull(),
    issue_id: text().notNull(),
    commit_sha: text().notNull(),
    state: text().$type<ReviewState>().notNull(),
    verdict: text().$type<ReviewVerdict>(),
    summary: text(),
    findings: text({ mode: 'json' }).$type<ReviewFinding[]>(),
    findings_left_out: integer().notNull().default(0),
    /** The author's agent was given what it found. */
    returned: integer({ mode: 'boolean' }).notNull().default(false),
    asked_by: text().notNull(),
    /** The attempt that reviews, or did so last; null: none has begun. */
    attempt_id: text(),
    /** Attempts that ended without a verdict. */
    tries: integer().notNull().default(0),
    /** It is not repeated before this time; null: at once. */
    not_before_ms: integer(),
    reason: text().notNull(),
    reason_code: text().$type<ReasonCode>().notNull(),
    created_at_ms: integer().notNull(),
    updated_at_ms: integer().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.pull_request_id, table.number] }),
    index('reviews_unfinished')
      .on(table.state)
      .where(sql`${table.state} in ('waiting', 'running')`),
  ],
);
export type ReviewRow = typeof reviews.$inferSelect;
