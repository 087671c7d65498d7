import { MAX_QUESTION_MS } from '@switchyard/shared/protocol/limits';
import { type SQL, sql } from 'drizzle-orm';
import { OFFER_TTL_MS } from '@switchyard/shared/protocol/limits';
import { SILENCE_MS } from '../people/agent-sessions/decide.ts';
import type { EffectiveConfig } from '../config/schema/config-schema.ts';
import { MAX_RESET_WAIT_MS } from '../attempts/decide.ts';
import type { Database, Statement } from '../db/database.ts';
import type { Deps } from '../deps.ts';
import { JOIN_TOKEN_TTL_MS } from '../runners/admin/create-join-token.ts';

/** Longest delay that some hosts request. */
const HOUR_MS = 3_600_000;
/** The longest delay before something is tried again. */
const RETRY_MS = 600_000;

/** A column with a date and how far in the future it may be; `only` limits the rows. */
type DateBound = { table: string; column: string; aheadMs: number; only?: SQL };

/** All dates for which something waits. A date further ahead was written under a wrong clock. */
function bounds({ service }: Pick<Deps, 'service'>, config: EffectiveConfig): DateBound[] {
  const { polling, webhook, agent } = config;
  const longestPollMs = Math.max(
    HOUR_MS,
    polling.intervalMs,
    webhook.pollingStretchMs,
    webhook.healthCheckIntervalMs,
  );
  const due = (table: string, aheadMs: number, only?: SQL): DateBound => ({
    table,
    column: 'due_at_ms',
    aheadMs,
    ...(only === undefined ? {} : { only }),
  });
  return [
    due('jobs', 60_000, sql`key in ('alerts', 'workspaces', 'local_look')`),
    due('jobs', longestPollMs, sql`kind = 'timer'`),
    due('jobs', RETRY_MS, sql`status = 'pending' and kind <> 'timer'`),
    due('agent_sessions', SILENCE_MS),
    { table: 'upstream_pauses', column: 'since_ms', aheadMs: 0 },
    {
      table: 'webhook_deliveries',
      column: 'next_try_at_ms',
      aheadMs: RETRY_MS,
      only: sql`status = 'pending'`,
    },
    {
      table: 'issues',
      column: 'next_retry_at_ms',
      aheadMs: agent.maxRetryBackoffMs,
      // An issue may wait for the end of a pause.
      only: sql`next_retry_at_ms not in (select due_at_ms from upstream_pauses)`,
    },
    // Ended attempts are excluded: their dates do not matter, and a start must not read all of
    // them.
    {
      table: 'attempts',
      column: 'offer_expires_at_ms',
      aheadMs: OFFER_TTL_MS,
      only: sql`status = 'queued'`,
    },
    { table: 'attempts', column: 'not_held_since_ms', aheadMs: 0, only: sql`status = 'running'` },
    { table: 'runners', column: 'lease_until_ms', aheadMs: service.leaseTimes.ttlMs },
    {
      table: 'runners',
      column: 'twin_until_ms',
      aheadMs: service.leaseTimes.ttlMs + service.leaseTimes.graceMs,
    },
    { table: 'runners', column: 'last_seen_at_ms', aheadMs: 0 },
    { table: 'join_tokens', column: 'expires_at_ms', aheadMs: JOIN_TOKEN_TTL_MS },
    {
      table: 'automation_runs',
      column: 'started_at_ms',
      aheadMs: 0,
      only: sql`status = 'running'`,
    },
    { table: 'alert_rules', column: 'last_fired_at_ms', aheadMs: 0 },
    { table: 'notifications', column: 'created_at_ms', aheadMs: 0 },
  ];
}

/**
 * Corrects dates that a clock ahead of time has written: a due date is moved to its longest
 * interval from now, a past event to now.
 */
export async function boundDates(deps: Pick<Deps, 'db' | 'clock' | 'config' | 'service'>) {
  const nowMs = deps.clock.nowMs();
  const statements = bounds(deps, await deps.config.load()).map((bound): Statement => {
    const { table, column, aheadMs, only = sql`1` } = bound;
    const latestMs = nowMs + aheadMs;
    const name = sql.identifier(column);
    return deps.db.run(sql`update ${sql.identifier(table)} set ${name} = ${latestMs}
      where ${name} > ${latestMs} and ${only}`);
  });
  await deps.db.batch([
    // The scheduler computes a new time: schedules have no longest interval.
    deps.db.run(sql`delete from automation_timers where next_run_at_ms > ${nowMs}`),
    // Events are numbered, so those written under the wrong clock are the last ones.
    deps.db.run(sql`update event_chunks set at_ms = ${nowMs} where at_ms > ${nowMs}
      and first_seq > coalesce((select first_seq from event_chunks where at_ms <= ${nowMs}
        order by first_seq desc limit 1), -9223372036854775808)`),
    // An open question expires after its attempt's limit, counted from now.
    deps.db.run(sql`update requests set
      asked_at_ms = ${nowMs}, expires_at_ms = ${nowMs} + iif(plan is null,
        (select spec ->> '$.limits.requestMs' from attempts
          where attempts.attempt_id = requests.attempt_id), ${MAX_QUESTION_MS})
      where state = 'asked' and asked_at_ms > ${nowMs}`),
    boundPauses(deps.db, nowMs),
    ...statements,
  ]);
}

/**
 * Corrects pauses that were recorded in the future: they last from now on as long as they did from
 * then, at most the longest limit period, since a provider's reset may be days ahead. If a pause
 * ends too early, one canary finds that out.
 */
function boundPauses(db: Database, nowMs: number): Statement {
  const noted = sql`coalesce(noted_at_ms, since_ms)`;
  return db.run(sql`update upstream_pauses set
      due_at_ms = min(due_at_ms - max(0, ${noted} - ${nowMs}), ${nowMs + MAX_RESET_WAIT_MS}),
      noted_at_ms = min(${noted}, ${nowMs})
    where ${noted} > ${nowMs} or due_at_ms > ${nowMs + MAX_RESET_WAIT_MS}`);
}

/**
 * After the clock was moved forward, extends the suspicion of duplicate runner identities
 * accordingly.
 */
export async function keepTwinsApart(
  { db, clock }: Pick<Deps, 'db' | 'clock'>,
  jumpMs: number,
): Promise<void> {
  const beforeMs = clock.nowMs() - jumpMs;
  await db.run(sql`update runners set twin_until_ms = twin_until_ms + ${Math.round(jumpMs)}
    where twin_until_ms > ${Math.round(beforeMs)}`);
}
