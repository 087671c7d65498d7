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
import type {
  Blocker,
  IssueStatus,
  ParentIssue,
  SubIssue,
} from '@switchyard/shared/api/work/issue';
import type { ReasonCode } from '@switchyard/shared/api/work/reason-code';
import type { TokenUsage } from '@switchyard/shared/api/work/attempt';

/** Recorded tracker issues with all decisions of the orchestrator about them. */
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
    /** The issue that this one is a part of; null: none. */
    parent: text({ mode: 'json' }).$type<ParentIssue>(),
    /** Its parts. */
    sub_issues: text({ mode: 'json' }).$type<SubIssue[]>().notNull().default([]),
    dispatchable: integer({ mode: 'boolean' }).notNull(),
    native_ref: text(),
    /**
     * Why the issue must not be worked on, for people, or the code that it was removed; null: it
     * may be.
     */
    unroutable: text(),
    created_at_ms: integer().notNull(),
    updated_at_ms: integer().notNull(),

    status: text().$type<IssueStatus>().notNull().default('idle'),
    reason: text(),
    /** Code of the reason, for decisions; null without a reason, and in older rows. */
    reason_code: text().$type<ReasonCode>(),
    /** The live attempt, or the last one. */
    current_attempt_id: text(),
    /** Whether that attempt uses, or used, a trial's scripted model. */
    on_trial: integer({ mode: 'boolean' }).notNull().default(false),
    attempt_count: integer().notNull().default(0),
    /** Attempts since the last reset (a person's retry or change), for the limit. */
    run_count: integer().notNull().default(0),
    /** Consecutive failures since the last reset: the exponent of the backoff. */
    failure_count: integer().notNull().default(0),
    next_retry_at_ms: integer(),
    model: text(),
    reasoning_effort: text(),
    /** Engine or choice that a person selected; null: by the rules. */
    engine: text(),
    template_id: text(),
    thread_id: text(),
    /** Engine that `thread_id` belongs to; null: the default one. */
    thread_engine: text(),
    branch: text(),
    /** Name of its folders, sessions and hidden ref on every runner, since its first attempt. */
    workspace_key: text(),
    pull_request_url: text(),
    /** The request whose plan was approved for the work; null: none. */
    plan_request_id: text(),
    /** The pull request whose merge the next attempt tests; null: the issue is worked on. */
    merging: text(),
    /** The pull request that the next attempt reviews; null: it reviews none. */
    reviewing: text(),
    tokens: text({ mode: 'json' }).$type<TokenUsage>().notNull(),
    cost_usd: real(),
    /** Tokens of models without a price, which the cost does not include. */
    unpriced_tokens: integer().notNull().default(0),
    /** What a person could change when the issue was parked; a difference requeues it. */
    parked_fingerprint: text(),
    /**
     * When changes in the tracker alone started the issue, epoch milliseconds, since a person's
     * last action.
     */
    tracker_starts_ms: text({ mode: 'json' }).$type<number[]>(),
    /** Agent runs, however they ended, since a person's last action. */
    unattended_runs: integer().notNull().default(0),
    /**
     * Why it is parked if that can end by itself: a budget is raised, a new day begins, or the time
     * limit of an attempt is raised.
     */
    parked_kind: text().$type<'budget' | 'attempt_time'>(),
    /** Usage before the present budget: a person's retry grants a new one. */
    budget_from_tokens: integer().notNull().default(0),
    budget_from_attempts: integer().notNull().default(0),
    /** Repository of work without a route; null: by the routes. */
    repository_url: text(),
    /** The agent only reads and reports; nothing is changed, pushed or opened. */
    read_only: integer({ mode: 'boolean' }).notNull().default(false),
    /** Since when the issue waits for a slot; null when it does not. */
    queued_since_ms: integer(),
    /** Increases with each change, for the compare-and-swap of every decision. */
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
    index('issues_related')
      .on(table.tracker)
      .where(sql`${table.blocked_by} <> '[]' or ${table.sub_issues} <> '[]'`),
  ],
);
export type IssueRow = typeof issues.$inferSelect;
