import type { Usage, UsageDay } from '@switchyard/shared/api/usage';
import { gte, sql } from 'drizzle-orm';
import type { Database } from '../db/database.ts';
import { attempts } from '../db/schema/attempts.ts';
import { usageDays } from '../db/schema/usage.ts';
import type { Clock } from '../ports.ts';
import { utcDay } from './thread-cost.ts';

const DAY_MS = 86_400_000;

/** What was used on each of the last `days` days (UTC, today among them), and how attempts ended. */
export async function getUsage(
  { db, clock }: { db: Database; clock: Clock },
  days: number,
): Promise<Usage> {
  const nowMs = clock.nowMs();
  const firstMs = Date.parse(utcDay(nowMs)) - (days - 1) * DAY_MS;
  const day = sql<string>`date(${attempts.queued_at_ms} / 1000, 'unixepoch')`;
  const [used, ended] = await Promise.all([
    db
      .select()
      .from(usageDays)
      .where(gte(usageDays.day, utcDay(firstMs))),
    db
      .select({
        day,
        completed: sql<number>`sum(${attempts.outcome} = 'completed')`,
        failed: sql<number>`sum(${attempts.outcome} in ('failed', 'oom', 'stalled'))`,
        cancelled: sql<number>`sum(${attempts.outcome} = 'cancelled')`,
      })
      .from(attempts)
      .where(gte(attempts.queued_at_ms, firstMs))
      .groupBy(day),
  ]);
  const usedOn = new Map(used.map((row) => [row.day, row]));
  const endedOn = new Map(ended.map((row) => [row.day, row]));
  return {
    days: Array.from({ length: days }, (_, position): UsageDay => {
      const name = utcDay(firstMs + position * DAY_MS);
      return {
        day: name,
        tokens: usedOn.get(name)?.tokens ?? 0,
        costUsd: usedOn.get(name)?.cost_usd ?? 0,
        completed: endedOn.get(name)?.completed ?? 0,
        failed: endedOn.get(name)?.failed ?? 0,
        cancelled: endedOn.get(name)?.cancelled ?? 0,
      };
    }),
  };
}
