import { kindsThat } from '@switchyard/shared/attempts/kind-rules';
import type { ModelPrice, Usage, UsageDay } from '@switchyard/shared/api/work/usage';
import { and, count, gte, inArray, sql } from 'drizzle-orm';
import { DEFAULT_ENGINE } from '../config/sections/routing/format-problem.ts';
import { LIST_PRICES } from '../config/provider/list-prices.ts';
import { isAgentRun } from '../attempts/queries.ts';
import type { Deps } from '../deps.ts';
import { attempts } from '../db/schema/work/attempts.ts';
import { usageDays } from '../db/schema/work/usage.ts';
import { modelsInUse } from './models-in-use.ts';
import { modelsOfIssues } from './queries.ts';
import { utcDay } from './thread-cost.ts';

const DAY_MS = 86_400_000;

/**
 * Usage on each of the last `days` days (UTC, including today) by engine, and the outcomes of
 * attempts with real models.
 */
export async function getUsage(
  { db, clock, config }: Pick<Deps, 'db' | 'clock' | 'config'>,
  days: number,
): Promise<Usage> {
  const nowMs = clock.nowMs();
  const firstMs = Date.parse(utcDay(nowMs)) - (days - 1) * DAY_MS;
  const day = sql<string>`date(${attempts.queued_at_ms} / 1000, 'unixepoch')`;
  const engine = sql<string>`coalesce(${attempts.engine}, ${DEFAULT_ENGINE})`.as('engine_name');
  const [used, ended, groups, chosen, settings] = await Promise.all([
    db
      .select()
      .from(usageDays)
      .where(gte(usageDays.day, utcDay(firstMs))),
    db
      .select({
        day,
        completed: sql<number>`sum(${attempts.outcome} = 'completed')`,
        delivered: sql<number>`sum(${attempts.outcome} = 'completed' and ${attempts.marker} is 'DONE')`,
        continued: sql<number>`sum(${attempts.outcome} = 'completed' and ${attempts.reason_code} is 'work_left')`,
        failed: sql<number>`sum(${attempts.outcome} in ('failed', 'oom', 'stalled'))`,
        cancelled: sql<number>`sum(${attempts.outcome} = 'cancelled')`,
      })
      .from(attempts)
      .where(and(gte(attempts.queued_at_ms, firstMs), isAgentRun))
      .groupBy(day),
    db
      .select({
        engine,
        model: attempts.model,
        account: attempts.account,
        attempts: count(),
        tokens: sql<number>`coalesce(sum(json_extract(${attempts.tokens}, '$.total')), 0)`,
        costUsd: sql<number | null>`sum(${attempts.cost_usd})`,
        unpricedTokens: sql<number>`coalesce(sum(${attempts.unpriced_tokens}), 0)`,
      })
      .from(attempts)
      .where(
        and(gte(attempts.queued_at_ms, firstMs), inArray(attempts.kind, kindsThat('hasAgent'))),
      )
      .groupBy(sql`engine_name`, attempts.model, attempts.account),
    modelsOfIssues(db),
    config.load(),
  ]);
  const usedOn = new Map(used.map((row) => [row.day, row]));
  const endedOn = new Map(ended.map((row) => [row.day, row]));
  return {
    engines: groups.toSorted((a, b) => (b.costUsd ?? 0) - (a.costUsd ?? 0) || b.tokens - a.tokens),
    prices: pricesOf(modelsInUse(settings, { issues: chosen, attempts: groups })),
    days: Array.from({ length: days }, (_, position): UsageDay => {
      const name = utcDay(firstMs + position * DAY_MS);
      return {
        day: name,
        tokens: usedOn.get(name)?.tokens ?? 0,
        costUsd: usedOn.get(name)?.cost_usd ?? 0,
        unpricedTokens: usedOn.get(name)?.unpriced_tokens ?? 0,
        completed: endedOn.get(name)?.completed ?? 0,
        delivered: endedOn.get(name)?.delivered ?? 0,
        continued: endedOn.get(name)?.continued ?? 0,
        failed: endedOn.get(name)?.failed ?? 0,
        cancelled: endedOn.get(name)?.cancelled ?? 0,
      };
    }),
  };
}

function pricesOf(models: ModelPrice[]): Usage['prices'] {
  const { readOn, source } = LIST_PRICES;
  const used = (from: ModelPrice['from']) =>
    models
      .filter((one) => one.from === from && one.usedBy.includes('attempts'))
      .map(({ model }) => model);
  return {
    models,
    missing: used(null),
    listed: used('list'),
    readOn,
    source,
  };
}
