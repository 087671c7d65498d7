import { and, eq, inArray, isNotNull, sql } from 'drizzle-orm';
import type { Database } from '../db/database.ts';
import { issues } from '../db/schema/work/issues.ts';
import { usageDays } from '../db/schema/work/usage.ts';
import type { BudgetView } from './decide.ts';
import { utcDay } from './thread-cost.ts';

/**
 * Query for the usage by which a running issue's budget is judged. As the last statement of a batch
 * it sees what the batch stores.
 */
export function usedOfBudget(
  db: Database,
  issue: { tracker: string; issue_id: string },
  nowMs: number,
) {
  return db.all<BudgetView>(sql`select
      json_extract(i.tokens, '$.total') - i.budget_from_tokens as issueTokens,
      i.attempt_count - i.budget_from_attempts as issueAttempts,
      i.unattended_runs as unattendedRuns,
      coalesce(d.tokens, 0) as dayTokens, coalesce(d.cost_usd, 0) as dayCostUsd,
      coalesce(d.unpriced_tokens, 0) as dayUnpricedTokens
    from issues i left join usage_days d on d.day = ${utcDay(nowMs)}
    where i.tracker = ${issue.tracker} and i.id = ${issue.issue_id}`);
}

/** What all issues used today (UTC). */
export async function usageToday(
  db: Database,
  nowMs: number,
): Promise<Pick<BudgetView, 'dayTokens' | 'dayCostUsd' | 'dayUnpricedTokens'>> {
  const [row] = await db
    .select()
    .from(usageDays)
    .where(eq(usageDays.day, utcDay(nowMs)));
  return {
    dayTokens: row?.tokens ?? 0,
    dayCostUsd: row?.cost_usd ?? 0,
    dayUnpricedTokens: row?.unpriced_tokens ?? 0,
  };
}

/** Models chosen for issues under work; the account is that of the settings. */
export async function modelsOfIssues(
  db: Database,
): Promise<{ model: string | null; account: null }[]> {
  const rows = await db
    .select({ model: issues.model })
    .from(issues)
    .where(
      and(
        inArray(issues.status, ['queued', 'running', 'retrying', 'blocked']),
        isNotNull(issues.model),
      ),
    )
    .groupBy(issues.model);
  return rows.map(({ model }) => ({ model, account: null }));
}
