import { type SQL, sql } from 'drizzle-orm';
import type { Database } from '../db/database.ts';
import type { EffectiveConfig } from '../config/schema/config-schema.ts';
import type { Clock } from '../ports/ports.ts';

const DAY_MS = 86_400_000;
/** Rows deleted per table and run: a sweep never holds the write lock for long. */
export const ROWS_PER_SWEEP = 500;

/** How far ahead the clocks of other instances may be. */
const CLOCKS_APART_MS = 60_000;

/** SQL for the attempt id in a blob key of the form `attempts/ID/EPOCH/NAME`. */
const ATTEMPT_OF_BLOB = sql.raw(`substr(blobs.key, 10, instr(substr(blobs.key, 10), '/') - 1)`);

/** How long rows of one table are kept. Audit entries have no rule: they are never deleted. */
type Rule = {
  table: string;
  /** The column with a row's age; a time in the future was written under a wrong clock. */
  column: string;
  /** Further conditions on rows to delete. */
  only?: SQL;
  /** A column to clear instead of deleting the row. */
  clears?: string;
  days: number;
};

function rules(retention: EffectiveConfig['retention']): Rule[] {
  const { eventsDays, deliveriesDays, historyDays, blobsDays } = retention;
  return [
    {
      table: 'event_chunks',
      column: 'at_ms',
      days: eventsDays,
      // Oldest chunks first: their time has no index, and a scan of all takes seconds.
      only: sql`first_seq in (
        select first_seq from event_chunks order by first_seq limit ${ROWS_PER_SWEEP})`,
    },
    {
      table: 'attempt_checks',
      column: 'ended_at_ms',
      days: eventsDays,
      clears: 'output',
      only: sql`output is not null`,
    },
    // Two rules, each with its own index: a dead job only has the time of its last try.
    { table: 'jobs', column: 'done_at_ms', days: deliveriesDays, only: sql`status = 'done'` },
    { table: 'jobs', column: 'due_at_ms', days: deliveriesDays, only: sql`status = 'dead'` },
    {
      table: 'notifications',
      column: 'created_at_ms',
      days: historyDays,
      only: sql`spread_at_ms is not null`,
    },
    {
      table: 'automation_runs',
      column: 'started_at_ms',
      days: historyDays,
      only: sql`status <> 'running'`,
    },
    { table: 'alert_history', column: 'last_at_ms', days: historyDays },
    // No alert rule counts further back than this.
    { table: 'alert_counts', column: 'minute_ms', days: 8 },
    {
      table: 'webhook_deliveries',
      column: 'ended_at_ms',
      days: deliveriesDays,
      only: sql`status <> 'pending'`,
    },
    { table: 'join_tokens', column: 'expires_at_ms', days: 1 },
    { table: 'recovery_reports', column: 'started_at_ms', days: historyDays },
    {
      table: 'requests',
      column: 'asked_at_ms',
      days: historyDays,
      // The plan by which an issue is worked on stays.
      only: sql`state in ('resumed', 'expired') and (plan is null or not exists (
        select 1 from issues i where i.plan_request_id = requests.request_id))`,
    },
    {
      table: 'steers',
      column: 'created_at_ms',
      days: historyDays,
      // Messages on an open pull request are kept, so that they are not handled again.
      only: sql`not exists (select 1 from pull_requests p where p.status = 'open'
        and p.id = substr(steers.message_id, 1, instr(steers.message_id, ':') - 1))`,
    },
    {
      table: 'pull_request_feedback',
      column: 'created_at_ms',
      days: historyDays,
      only: sql`not exists (select 1 from pull_requests p
        where p.id = pull_request_feedback.pull_request_id and p.status = 'open')`,
    },
    { table: 'agent_activities', column: 'created_at_ms', days: historyDays },
    {
      table: 'agent_sessions',
      column: 'activity_at_ms',
      days: historyDays,
      only: sql`state <> 'open'`,
    },
    { table: 'transitions', column: 'at_ms', days: historyDays },
    {
      table: 'attempt_artifacts',
      column: 'stored_at_ms',
      days: blobsDays,
      only: sql`not exists (select 1 from pull_requests p
        where p.attempt_id = attempt_artifacts.attempt_id and p.status = 'open')`,
    },
    {
      table: 'blobs',
      column: 'created_at_ms',
      days: blobsDays,
      // An artifact is deleted together with the row that names it.
      only: sql`not exists (
        select 1 from pull_requests p where p.diff_blob = blobs.key and p.status = 'open')
        and not exists (select 1 from attempt_artifacts a, json_each(a.files) f
          where a.attempt_id = ${ATTEMPT_OF_BLOB} and f.value ->> '$.blob' = blobs.key)`,
    },
  ];
}

/**
 * Tables that are not re-dated: a counted minute is a key, so a future one is deleted; a token
 * simply expires.
 */
const LEFT_AS_DATED = new Set(['alert_counts', 'join_tokens', 'event_chunks']);

/**
 * Dates rows from the future as of now, so that they are not kept too long after a wrong clock.
 * Events get the time of the next correctly dated one, since they are numbered.
 */
async function dateAnew(
  db: Database,
  { table, column, only = sql`1` }: Rule,
  nowMs: number,
): Promise<void> {
  const latestMs = nowMs + CLOCKS_APART_MS;
  const [name, at] = [sql.identifier(table), sql.identifier(column)];
  if (table === 'alert_counts') await db.run(sql`delete from ${name} where ${at} > ${latestMs}`);
  if (table === 'event_chunks') await dateEventsAnew(db, latestMs);
  if (LEFT_AS_DATED.has(table)) return;
  await db.run(sql`update ${name} set ${at} = ${nowMs} where rowid in (
    select rowid from ${name} where ${at} > ${latestMs} and ${only} limit ${ROWS_PER_SWEEP})`);
}

async function dateEventsAnew(db: Database, latestMs: number): Promise<void> {
  const row = await db.get<{ seq: number | null }>(sql`select min(first_seq) as seq from (
    select first_seq, at_ms from event_chunks order by first_seq limit ${ROWS_PER_SWEEP})
    where at_ms > ${latestMs}`);
  if (row?.seq == null) return;
  await db.run(sql`update event_chunks set at_ms = coalesce((select at_ms from event_chunks
      where first_seq > ${row.seq} and at_ms <= ${latestMs} order by first_seq limit 1), ${latestMs})
    where at_ms > ${latestMs} and first_seq in (
      select first_seq from event_chunks order by first_seq limit ${ROWS_PER_SWEEP})`);
}

/**
 * Deletes some of the rows that are older than configured. True when more remain, and the caller
 * runs it again soon. A check's output is deleted with its event; its result stays.
 */
export async function sweepRetention(
  deps: { db: Database; clock: Clock },
  retention: EffectiveConfig['retention'],
): Promise<boolean> {
  const nowMs = deps.clock.nowMs();
  let more = false;
  for (const rule of rules(retention)) {
    await dateAnew(deps.db, rule, nowMs);
    const { column, only = sql`1`, clears } = rule;
    const table = sql.identifier(rule.table);
    const cutoffMs = nowMs - rule.days * DAY_MS;
    const change =
      clears === undefined
        ? sql`delete from ${table}`
        : sql`update ${table} set ${sql.identifier(clears)} = null`;
    const result = await deps.db.run(sql`${change} where rowid in (select rowid
      from ${table} where ${sql.identifier(column)} < ${cutoffMs} and ${only} limit ${ROWS_PER_SWEEP})`);
    if (result.rowsAffected >= ROWS_PER_SWEEP) more = true;
  }
  return more;
}
