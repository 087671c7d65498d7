import { type SQL, sql } from 'drizzle-orm';
import { OFFER_TTL_MS } from '@switchyard/shared/protocol/limits';
import { SILENCE_MS } from '../people/agent-sessions/decide.ts';
import type { EffectiveConfig } from '../config/schema/config-schema.ts';
import { MAX_RESET_WAIT_MS } from '../attempts/decide.ts';
import type { Database, Statement } from '../db/database.ts';
import type { Deps } from '../deps.ts';
import { JOIN_TOKEN_TTL_MS } from '../runners/admin/create-join-token.ts';

/** Some hosts ask to be left alone for so long. */
const HOUR_MS = 3_600_000;
/** The longest delay before something is tried again. */
const RETRY_MS = 600_000;

/** A column with a date, and how far ahead of now it may lie; `only` narrows the rows. */
type Bound = { table: string; column: string; aheadMs: number; only?: SQL };

/** Everything that waits for a date. What lies further ahead was written by a clock that was wrong. */
function bounds({ leases }: Pick<Deps, 'leases'>, config: EffectiveConfig): Bound[] {
  const { polling, webhook, agent } = config;
  const longestPollMs = Math.max(
    HOUR_MS,
    polling.intervalMs,
    webhook.pollingStretchMs,
    webhook.healthCheckIntervalMs,
  );
  const due = (table: string, aheadMs: number, only?: SQL): Bound => ({
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
    // Of attempts that have ended nobody asks; a start must not read all of them.
    {
      table: 'attempts',
      column: 'offer_expires_at_ms',
      aheadMs: OFFER_TTL_MS,
      only: sql`status = 'queued'`,
    },
    { table: 'attempts', column: 'not_held_since_ms', aheadMs: 0, only: sql`status = 'running'` },
    { table: 'runners', column: 'lease_until_ms', aheadMs: leases.ttlMs },
    { table: 'runners', column: 'twin_until_ms', aheadMs: leases.ttlMs + leases.graceMs },
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
 * Brings dates back that a clock which was ahead has written: what is due becomes due after its
 * longest interval at the latest, and what has happened has happened now.
 */
export async function boundDates(deps: Pick<Deps, 'db' | 'clock' | 'config' | 'leases'>) {
  const nowMs = deps.clock.nowMs();
  const statements = bounds(deps, await deps.config.load()).map((bound): Statement => {
    const { table, column, aheadMs, only = sql`1` } = bound;
    const latestMs = nowMs + aheadMs;
    const name = sql.identifier(column);
    return deps.db.run(sql`update ${sql.identifier(table)} set ${name} = ${latestMs}
      where ${name} > ${latestMs} and ${only}`);
  });
  await deps.db.batch([
    // The next time of a schedule is reckoned anew: no longest interval is known.
    deps.db.run(sql`delete from automation_timers where next_run_at_ms > ${nowMs}`),
    // Events are numbered, so those of the wrong clock are the last.
    deps.db.run(sql`update event_chunks set at_ms = ${nowMs} where at_ms > ${nowMs}
      and first_seq > coalesce((select first_seq from event_chunks where at_ms <= ${nowMs}
        order by first_seq desc limit 1), -9223372036854775808)`),
    // A question lasts from now on as long as its attempt was given.
    deps.db.run(sql`update requests set
      asked_at_ms = ${nowMs}, expires_at_ms = ${nowMs} + (select spec ->> '$.limits.requestMs'
        from attempts where attempts.attempt_id = requests.attempt_id)
      where state = 'asked' and asked_at_ms > ${nowMs}`),
    boundPauses(deps.db, nowMs),
    ...statements,
  ]);
}

/**
 * A pause ends when the provider said, which may be days ahead and does not depend on who leads. One
 * that a clock ahead has noted lasts from now on as long as it did from then: tried earlier than the
 * reset, one attempt finds out, and uses up no try.
 */
function boundPauses(db: Database, nowMs: number): Statement {
  const noted = sql`coalesce(noted_at_ms, since_ms)`;
  return db.run(sql`update upstream_pauses set
      due_at_ms = min(due_at_ms - max(0, ${noted} - ${nowMs}), ${nowMs + MAX_RESET_WAIT_MS}),
      noted_at_ms = min(${noted}, ${nowMs})
    where ${noted} > ${nowMs} or due_at_ms > ${nowMs + MAX_RESET_WAIT_MS}`);
}

/** After a clock was put forward, what is suspected of a copied runner is so for as long as before. */
export async function keepTwinsApart(
  { db, clock }: Pick<Deps, 'db' | 'clock'>,
  jumpMs: number,
): Promise<void> {
  const beforeMs = clock.nowMs() - jumpMs;
  await db.run(sql`update runners set twin_until_ms = twin_until_ms + ${Math.round(jumpMs)}
    where twin_until_ms > ${Math.round(beforeMs)}`);
}
