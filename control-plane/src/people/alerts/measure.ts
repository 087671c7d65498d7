import { and, eq, gte, isNull, sql } from 'drizzle-orm';
import type { AlertRule } from '../../config/sections/alerts.ts';
import { isAgentRun } from '../../attempts/queries.ts';
import { alertCounts } from '../../db/schema/people/alerts.ts';
import { runners } from '../../db/schema/runners/runners.ts';
import type { Deps } from '../../deps.ts';
import { usageToday } from '../../usage/queries.ts';

const MINUTE_MS = 60_000;

type MeasureDeps = Pick<Deps, 'db' | 'clock' | 'connections'>;
type Gauge = NonNullable<AlertRule['condition']['gauge']>;

/** The value that a rule is judged by; null when there is nothing to measure. */
export async function measure(deps: MeasureDeps, rule: AlertRule): Promise<number | null> {
  const { gauge } = rule.condition;
  return gauge === undefined ? countInWindow(deps, rule) : readGauge(deps, gauge, rule.windowMs);
}

/** Counts whole minutes, so up to one minute more than the window. */
async function countInWindow({ db, clock }: MeasureDeps, rule: AlertRule): Promise<number> {
  const fromMs = Math.floor((clock.nowMs() - rule.windowMs) / MINUTE_MS) * MINUTE_MS;
  const [row] = await db
    .select({ count: sql<number>`coalesce(sum(${alertCounts.count}), 0)` })
    .from(alertCounts)
    .where(and(eq(alertCounts.rule_name, rule.name), gte(alertCounts.minute_ms, fromMs)));
  return row?.count ?? 0;
}

async function readGauge(
  deps: MeasureDeps,
  gauge: Gauge,
  windowMs: number,
): Promise<number | null> {
  const { db, clock } = deps;
  const nowMs = clock.nowMs();
  switch (gauge) {
    case 'queue_age_ms': {
      const row = await db.get<{ since: number | null }>(
        sql`select min(queued_since_ms) as since from issues where status = 'queued'`,
      );
      const since = row?.since ?? null;
      return since === null ? 0 : Math.max(0, nowMs - since);
    }
    case 'runners_connected': {
      const rows = await db
        .select({ id: runners.runner_id })
        .from(runners)
        .where(isNull(runners.revoked_at_ms));
      return (await deps.connections.connected(rows.map((row) => row.id))).size;
    }
    case 'webhooks_dead':
      return count(
        deps,
        sql`select count(*) as count from webhook_deliveries where status = 'dead'`,
      );
    case 'effects_dead':
      return count(
        deps,
        sql`select count(*) as count from jobs
          where status = 'dead' and kind <> 'workspace.remove'`,
      );
    case 'spent_usd_today':
      return (await usageToday(db, nowMs)).dayCostUsd;
    case 'tokens_today':
      return (await usageToday(db, nowMs)).dayTokens;
    case 'success_rate': {
      // Selects by the time of queueing, which has an index; attempts that still run do not count.
      const row = await db.get<{ rate: number | null }>(sql`select
        avg(case when outcome = 'completed' then 1.0 else 0.0 end) as rate from attempts
        where queued_at_ms >= ${nowMs - windowMs} and status in ('completed', 'failed')
          and ${isAgentRun}`);
      return row?.rate ?? null;
    }
  }
}

/** Tokens of models without a price, which a rule's cost does not include. */
export async function unpricedTokens(
  { db, clock }: Pick<MeasureDeps, 'db' | 'clock'>,
  rule: AlertRule,
): Promise<number> {
  if (rule.condition.gauge !== 'spent_usd_today') return 0;
  return (await usageToday(db, clock.nowMs())).dayUnpricedTokens;
}

async function count({ db }: MeasureDeps, query: ReturnType<typeof sql>): Promise<number> {
  return (await db.get<{ count: number }>(query))?.count ?? 0;
}
