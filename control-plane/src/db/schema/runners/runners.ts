import type { RunnerEngine } from '@switchyard/shared/engine/runner-engine';
import type { IsolationLevels } from '@switchyard/shared/sandbox/isolation-level';
import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';

/** A runner identity and its one lease. */
export const runners = sqliteTable('runners', {
  runner_id: text().primaryKey(),
  name: text().notNull(),
  signing_key: text({ mode: 'json' }).$type<Record<string, unknown>>().notNull(),
  sealing_key: text({ mode: 'json' }).$type<Record<string, unknown>>().notNull(),
  /** Ceiling from the join token; a runner's own claim is narrowed to it when it is not empty. */
  allowed_labels: text({ mode: 'json' }).$type<string[]>().notNull(),
  labels: text({ mode: 'json' }).$type<string[]>().notNull(),
  slots_total: integer().notNull().default(0),
  slots_free: integer().notNull().default(0),
  isolation: text().$type<'docker' | 'process'>(),
  /** Null: the runner does not tell. */
  isolation_levels: text({ mode: 'json' }).$type<IsolationLevels>(),
  version: text().notNull(),
  engine_version: text(),
  /** Null, from older runners: only the default one. */
  engines: text({ mode: 'json' }).$type<RunnerEngine[]>(),
  warnings: text({ mode: 'json' }).$type<string[]>().notNull(),
  /** Rises with every hello; only the newest session may speak. */
  session: integer().notNull().default(0),
  instance_id: text(),
  boot_id: text(),
  /** Null where the machine shows none. */
  machine_id: text(),
  connected: integer({ mode: 'boolean' }).notNull().default(false),
  /** Instance of the control plane that took the present session; only it knows whether it lives. */
  accepted_by: text(),
  draining: integer({ mode: 'boolean' }).notNull().default(false),
  lease_until_ms: integer(),
  /**
   * Two processes seem to share this identity: until then what the newest one lacks may still run
   * at the other, so its word that something is gone moves nothing.
   */
  twin_until_ms: integer(),
  last_seen_at_ms: integer(),
  /** Processor and memory use by attempt id, as the last renewal told. */
  load: text({ mode: 'json' }).$type<
    Record<string, { cpuPercent: number; memoryPercent: number }>
  >(),
  joined_at_ms: integer().notNull(),
  revoked_at_ms: integer(),
});
export type RunnerRow = typeof runners.$inferSelect;

/** One-time join tokens; only their hash is kept. */
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
