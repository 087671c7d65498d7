import { sql } from 'drizzle-orm';
import {
  index,
  integer,
  primaryKey,
  real,
  sqliteTable,
  text,
  uniqueIndex,
} from 'drizzle-orm/sqlite-core';
import type { Blocker, IssueStatus } from '@switchyard/shared/api/work/issue';
import type { ReasonCode } from '@switchyard/shared/api/work/reason-code';
import type { TokenUsage } from '@switchyard/shared/api/work/attempt';

/** The index of tracker issues with everything the orchestrator decides about them. */
export const issues = sqliteTable(
  'issues',
  {
    tracker: text().notNull(),
    id: text().notNull(),
    identifier: text().notNull(),
    title: text().notNull(),
    description: text(),
    priority: integer(),
    state: text().notNull(),
    branch_name: text(),
    url: text(),
    labels: text({ mode: 'json' }).$type<string[]>().notNull(),
    assignee_id: text(),
    blocked_by: text({ mode: 'json' }).$type<(Blocker & { terminal: boolean })[]>().notNull(),
    dispatchable: integer({ mode: 'boolean' }).notNull(),
    native_ref: text(),
    /** Why the tracker says it is not for this service, in words, or the code that it is gone; null: it is. */
    unroutable: text(),
    created_at_ms: integer().notNull(),
    updated_at_ms: integer().notNull(),

    status: text().$type<IssueStatus>().notNull().default('idle'),
    reason: text(),
    /** Why, for everything that decides by it; null with the reason, and in rows from before it. */
    reason_code: text().$type<ReasonCode>(),
    /** The live attempt, or the last one. */
    current_attempt_id: text(),
    /** Whether a script works, or worked, at that attempt in place of a model. */
    on_trial: integer({ mode: 'boolean' }).notNull().default(false),
    attempt_count: integer().notNull().default(0),
    /** Attempts since the last fresh start (a person's retry or wake); what the cap counts. */
    run_count: integer().notNull().default(0),
    /** Failed attempts in a row since the last fresh start; the exponent of the backoff. */
    failure_count: integer().notNull().default(0),
    next_retry_at_ms: integer(),
    model: text(),
    reasoning_effort: text(),
    /** Engine, or entry of the configured engines, that a person chose; null: by the rules. */
    engine: text(),
    template_id: text(),
    thread_id: text(),
    /** Engine that `thread_id` belongs to; null: the default one. */
    thread_engine: text(),
    branch: text(),
    /** Names its folders, sessions and hidden ref on every runner, since its first attempt. */
    workspace_key: text(),
    pull_request_url: text(),
    tokens: text({ mode: 'json' }).$type<TokenUsage>().notNull(),
    cost_usd: real(),
    /** Tokens of models without a price: what the cost lacks. */
    unpriced_tokens: integer().notNull().default(0),
    /** What a person could change, as it stood when the issue was parked; a difference wakes it. */
    parked_fingerprint: text(),
    /** When changes seen in the tracker alone started it again, epoch milliseconds, since a person's word. */
    tracker_starts_ms: text({ mode: 'json' }).$type<number[]>(),
    /** Agent runs, whatever ended them, since a person last did something about it. */
    unattended_runs: integer().notNull().default(0),
    /** Why it is parked where that can end by itself: a sum is raised or a new day begins, or one attempt may take longer. */
    parked_kind: text().$type<'budget' | 'attempt_time'>(),
    /** Usage that no longer counts against the budget: a person's retry grants a new one. */
    budget_from_tokens: integer().notNull().default(0),
    budget_from_attempts: integer().notNull().default(0),
    /** Repository of work that no route leads to; null: by the routes. */
    repository_url: text(),
    /** The agent looks and reports; nothing is changed, pushed or opened. */
    read_only: integer({ mode: 'boolean' }).notNull().default(false),
    /** Since when it waits for a slot; null when it does not. */
    queued_since_ms: integer(),
    /** Rises with each change; the compare-and-swap of every decision. */
    version: integer().notNull().default(1),
  },
  (table) => [
    primaryKey({ columns: [table.tracker, table.id] }),
    uniqueIndex('issues_identifier').on(table.identifier),
    index('issues_status').on(table.status, table.next_retry_at_ms),
    index('issues_status_updated').on(table.status, table.updated_at_ms),
    index('issues_updated').on(table.updated_at_ms),
    index('issues_reason_code')
      .on(table.reason_code, table.status)
      .where(sql`${table.reason_code} is not null`),
    index('issues_workspace_key').on(sql`lower(${table.workspace_key})`),
    index('issues_blocked_by')
      .on(table.tracker)
      .where(sql`${table.blocked_by} <> '[]'`),
  ],
);
export type IssueRow = typeof issues.$inferSelect;
