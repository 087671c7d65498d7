import type { RunnerEngine } from '@switchyard/shared/engine/runner-engine';
import type { IsolationLevels } from '@switchyard/shared/sandbox/isolation-level';
import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';

/** A runner identity and its one lease. */
export const runners = sqliteTable('runners', {
  runner_id: text().primaryKey(),
  name: text().notNull(),
  signing_key: text({ mode: 'json' }).$type<Record<string, unknown>>().notNull(),
  sealing_key: text({ mode: 'json' }).$type<Record<string, unknown>>().notNull(),
  /** Labels from the join token; if not empty, they limit the runner's own labels. */
  allowed_labels: text({ mode: 'json' }).$type<string[]>().notNull(),
  labels: text({ mode: 'json' }).$type<string[]>().notNull(),
  slots_total: integer().notNull().default(0),
  slots_free: integer().notNull().default(0),
  isolation: text().$type<'docker' | 'process'>(),
  /** Null when the runner does not report them. */
  isolation_levels: text({ mode: 'json' }).$type<IsolationLevels>(),
  version: text().notNull(),
  engine_version: text(),
  /** Null for older runners: only the default engine. */
  engines: text({ mode: 'json' }).$type<RunnerEngine[]>(),
  /** What the runner can do beyond the protocol's version. */
  features: text({ mode: 'json' }).$type<string[]>().notNull().default([]),
  warnings: text({ mode: 'json' }).$type<string[]>().notNull(),
  /** Increases with every hello; only the newest session is valid. */
  session: integer().notNull().default(0),
  instance_id: text(),
  boot_id: text(),
  /** Null when the machine has no id. */
  machine_id: text(),
  connected: integer({ mode: 'boolean' }).notNull().default(false),
  /** Instance that accepted the present session; only this one knows whether it is alive. */
  accepted_by: text(),
  draining: integer({ mode: 'boolean' }).notNull().default(false),
  lease_until_ms: integer(),
  /**
   * Until then two processes may share this identity, so attempts that the newer one lacks may run
   * at the other and are not requeued.
   */
  twin_until_ms: integer(),
  last_seen_at_ms: integer(),
  /** Processor and memory use by attempt id, from the last renewal. */
  load: text({ mode: 'json' }).$type<
    Record<string, { cpuPercent: number; memoryPercent: number }>
  >(),
  joined_at_ms: integer().notNull(),
  revoked_at_ms: integer(),
});
export type RunnerRow = typeof runners.$inferSelect;

/** One-time join tokens; only their hash is stored. */
export const joinTokens = sqliteTable(
  'join_tokens',
  {
    token_hash: text().primaryKey(),
    labels: text({ mode: 'json' }).$type<string[]>().notNull(),
    created_by: text().notNull(),
    created_at_ms: integer().notNull(),
    expires_at_ms: integer().notNull(),
    used_at_ms: integer(),
    runner_id: text(),
  },
  (table) => [index('join_tokens_expiry').on(table.expires_at_ms)],
);
