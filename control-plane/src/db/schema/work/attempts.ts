import { sql } from 'drizzle-orm';
import { index, integer, real, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';
import type {
  AttemptKind,
  AttemptOutcome,
  AttemptPhase,
  AttemptStatus,
  FailureKind,
  TokenUsage,
} from '@switchyard/shared/api/work/attempt';
import type { ReasonCode } from '@switchyard/shared/api/work/reason-code';
import type { DiffStat } from '@switchyard/shared/api/work/diff-stat';
import type { OutsideScope } from '@switchyard/shared/evidence/scope';
import type { AttemptSpec } from '@switchyard/shared/protocol/attempt-spec';

/** One run of an agent for one issue, with its lease. Fenced by (attempt_id, epoch, runner_id). */
export const attempts = sqliteTable(
  'attempts',
  {
    attempt_id: text().primaryKey(),
    tracker: text().notNull(),
    issue_id: text().notNull(),
    identifier: text().notNull(),
    /** Tracker state at dispatch, for the limits by state. */
    issue_state: text().notNull(),
    number: integer().notNull(),
    kind: text().$type<AttemptKind>().notNull().default('work'),
    /** Tracker state by which the mode of a plan is chosen; null: the attempt makes none. */
    plan_state: text(),
    status: text().$type<AttemptStatus>().notNull(),
    phase: text().$type<AttemptPhase>(),
    outcome: text().$type<AttemptOutcome>(),
    failure_kind: text().$type<FailureKind>(),
    error_message: text(),
    /** Why the attempt ended, or was requested to. */
    reason_code: text().$type<ReasonCode>(),

    runner_id: text(),
    /** Increases on every offer, and whenever the attempt is taken from its runner's lease. */
    epoch: integer().notNull().default(0),
    /** SHA-256 of the token with which this epoch's holder uploads blobs. */
    attempt_token_hash: text(),
    offer_expires_at_ms: integer(),
    granted_at_ms: integer(),
    /** Time of the first inventory without this attempt; null while the runner lists it. */
    not_held_since_ms: integer(),
    /** Set when the runner has nothing more to do for the attempt, which frees its slot. */
    released_at_ms: integer(),
    /**
     * Last holder before it was queued again, and its epoch: this runner may report a late finish.
     */
    former_runner_id: text(),
    former_epoch: integer(),
    loss_count: integer().notNull().default(0),
    cancel_reason: text(),
    /** Who requested the stop; decides what becomes of the issue. */
    cancel_kind: text().$type<'person' | 'tracker' | 'pause' | 'budget'>(),
    cancel_requested_at_ms: integer(),

    /** Last stored event of the present epoch, and the hash chain over its events. */
    last_seq: integer().notNull().default(0),
    digest: text().notNull(),

    spec: text({ mode: 'json' }).$type<AttemptSpec>().notNull(),
    thread_id: text(),
    turn_id: text(),
    turn_count: integer().notNull().default(0),
    /** Null: the runner's default engine. */
    engine: text(),
    /** Version reported by the engine; null before it answered. */
    engine_version: text(),
    /** Account name of the model provider; null: that of `engine.provider`. */
    account: text(),
    /** Attempt that this one continues on another engine or account after its provider failed. */
    failed_over_from: text(),
    model: text(),
    reasoning_effort: text(),
    repository_url: text().notNull(),
    base_branch: text(),
    base_commit: text(),
    branch: text(),
    commit_sha: text(),
    diff_stat: text({ mode: 'json' }).$type<DiffStat>(),
    diff_blob: text(),
    /** Null: the repository declares no scope, or the runner reported nothing. */
    outside_scope: text({ mode: 'json' }).$type<OutsideScope>(),
    pull_request_url: text(),
    summary: text(),
    marker: text().$type<'DONE' | 'BLOCKED'>(),
    tokens: text({ mode: 'json' }).$type<TokenUsage>().notNull(),
    cost_usd: real(),
    /** Tokens of models without a price, which the cost does not include. */
    unpriced_tokens: integer().notNull().default(0),

    queued_at_ms: integer().notNull(),
    started_at_ms: integer(),
    ended_at_ms: integer(),
  },
  (table) => [
    uniqueIndex('attempts_issue_number').on(table.tracker, table.issue_id, table.number),
    index('attempts_live').on(table.status, table.runner_id),
    index('attempts_queued_at').on(table.queued_at_ms),
    index('attempts_branch').on(sql`lower(${table.branch})`),
    index('attempts_thread').on(table.thread_id, table.queued_at_ms),
    // Excludes scripted models; queries must repeat the condition literally, or SQLite ignores the
    // index.
    index('attempts_completed')
      .on(table.ended_at_ms)
      .where(sql`${table.outcome} = 'completed' and ${table.model} is not 'scripted-trial'`),
  ],
);
export type AttemptRow = typeof attempts.$inferSelect;
