import { sql } from 'drizzle-orm';
import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import type { DiffStat } from '@switchyard/shared/api/work/diff-stat';
import type { CheckedCommit } from '@switchyard/shared/api/work/pull-request';

/** Pull requests: those of the built-in host, and what is known of those on other hosts. */
export const pullRequests = sqliteTable(
  'pull_requests',
  {
    id: text().primaryKey(),
    number: integer().notNull(),
    code_host: text().notNull(),
    repository_url: text().notNull(),
    branch: text().notNull(),
    base: text().notNull(),
    base_commit: text().notNull(),
    commit_sha: text().notNull(),
    title: text().notNull(),
    body: text().notNull(),
    draft: integer({ mode: 'boolean' }).notNull(),
    status: text().$type<'open' | 'merged' | 'closed'>().notNull(),
    merge_commit_sha: text(),
    diff_stat: text({ mode: 'json' }).$type<DiffStat>().notNull(),
    diff_blob: text(),
    issue_identifier: text().notNull(),
    attempt_id: text().notNull(),
    /** Address for people; null: a page of this service. */
    url: text(),
    /** When the last sync with its host began, also one that failed. */
    looked_at_ms: integer(),
    /** The checks at the last sync that read them; null: none were read. */
    checked: text({ mode: 'json' }).$type<CheckedCommit>(),
    created_at_ms: integer().notNull(),
    updated_at_ms: integer().notNull(),
  },
  (table) => [
    index('pull_requests_branch').on(table.repository_url, table.branch, table.status),
    index('pull_requests_host').on(table.code_host, table.created_at_ms),
    index('pull_requests_issue').on(table.issue_identifier),
    index('pull_requests_open')
      .on(table.created_at_ms)
      .where(sql`${table.status} = 'open'`),
  ],
);
export type PullRequestRow = typeof pullRequests.$inferSelect;
