import { eq } from 'drizzle-orm';
import type { Database } from '../db/database.ts';
import { usageDays } from '../db/schema/usage.ts';
import { utcDay } from './thread-cost.ts';

/** What all issues used today (UTC). */
export async function usageToday(
  db: Database,
  nowMs: number,
): Promise<{ dayTokens: number; dayCostUsd: number }> {
  const [row] = await db
    .select()
    .from(usageDays)
    .where(eq(usageDays.day, utcDay(nowMs)));
  return { dayTokens: row?.tokens ?? 0, dayCostUsd: row?.cost_usd ?? 0 };
}
