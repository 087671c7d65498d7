import { sql } from 'drizzle-orm';
import type { Database } from '../db/database.ts';
import type { EffectiveConfig } from '../config/config-schema.ts';
import type { Clock } from '../ports.ts';

const DAY_MS = 86_400_000;
/** Rows deleted per table and run: a sweep never holds the write lock for long. */
export const ROWS_PER_SWEEP = 500;

/** What is kept for how long. Audit entries stay for ever: they cannot be deleted. */
type Rule = { table: string; where: (cutoffMs: number) => ReturnType<typeof sql>; days: number };

function rules(retention: EffectiveConfig['retention']): Rule[] {
  return [
    {
      table: 'event_chunks',
      days: retention.eventsDays,
      // The oldest stand first; their time has no index, and to look at all of them takes seconds.
      where: (ms) => sql`at_ms < ${ms} and first_seq in (
        select first_seq from event_chunks order by first_seq limit ${ROWS_PER_SWEEP})`,
    },
    // Two rules, because each has an index: what was given up has no time but that of its last try.
    {
      table: 'outbox',
      days: retention.deliveriesDays,
      where: (ms) => sql`status = 'done' and done_at_ms < ${ms}`,
    },
    {
      table: 'outbox',
      days: retention.deliveriesDays,
      where: (ms) => sql`status = 'dead' and next_try_at_ms < ${ms}`,
    },
    {
      table: 'notifications',
      days: retention.historyDays,
      where: (ms) => sql`created_at_ms < ${ms} and spread_at_ms is not null`,
    },
    {
      table: 'automation_runs',
      days: retention.historyDays,
      where: (ms) => sql`status <> 'running' and started_at_ms < ${ms}`,
    },
    {
      table: 'alert_history',
      days: retention.historyDays,
      where: (ms) => sql`last_at_ms < ${ms}`,
    },
    // No rule looks further back.
    { table: 'alert_counts', days: 8, where: (ms) => sql`minute_ms < ${ms}` },
    {
      table: 'webhook_deliveries',
      days: retention.deliveriesDays,
      where: (ms) => sql`status <> 'pending' and ended_at_ms < ${ms}`,
    },
    { table: 'join_tokens', days: 1, where: (ms) => sql`expires_at_ms < ${ms}` },
    {
      table: 'recovery_reports',
      days: retention.historyDays,
      where: (ms) => sql`started_at_ms < ${ms}`,
    },
    {
      table: 'requests',

      days: retention.historyDays,
      where: (ms) => sql`state in ('resumed', 'expired') and asked_at_ms < ${ms}`,
    },
    {
      table: 'steers',

      days: retention.historyDays,
      // Words on an open pull request are remembered, so that they are not heard again.
      where: (ms) => sql`created_at_ms < ${ms} and not exists (
        select 1 from pull_requests p where p.status = 'open'
        and p.id = substr(steers.message_id, 1, instr(steers.message_id, ':') - 1))`,
    },
    {
      table: 'pull_request_feedback',
      days: retention.historyDays,
      where: (ms) => sql`created_at_ms < ${ms} and not exists (select 1 from pull_requests p
        where p.id = pull_request_feedback.pull_request_id and p.status = 'open')`,
    },
    {
      table: 'agent_activities',
      days: retention.historyDays,
      where: (ms) => sql`created_at_ms < ${ms}`,
    },
    {
      table: 'agent_sessions',
      days: retention.historyDays,
      where: (ms) => sql`state <> 'open' and activity_at_ms < ${ms}`,
    },
    {
      table: 'transitions',
      days: retention.historyDays,
      where: (ms) => sql`at_ms < ${ms}`,
    },
    {
      table: 'blobs',

      days: retention.blobsDays,
      where: (ms) => sql`created_at_ms < ${ms} and not exists (
        select 1 from pull_requests p where p.diff_blob = blobs.key and p.status = 'open')`,
    },
  ];
}

/**
 * Deletes a little of what is older than configured. True when a table still has more: the caller
 * comes back soon instead of deleting all at once.
 */
export async function sweepRetention(
  deps: { db: Database; clock: Clock },
  retention: EffectiveConfig['retention'],
): Promise<boolean> {
  const nowMs = deps.clock.nowMs();
  let more = false;
  for (const rule of rules(retention)) {
    const cutoffMs = nowMs - rule.days * DAY_MS;
    const result = await deps.db.run(sql`delete from ${sql.identifier(rule.table)} where rowid in (
      select rowid from ${sql.identifier(rule.table)} where ${rule.where(cutoffMs)} limit ${ROWS_PER_SWEEP})`);
    if (result.rowsAffected >= ROWS_PER_SWEEP) more = true;
  }
  return more;
}
