import { and, eq, inArray, isNotNull, sql } from 'drizzle-orm';
import type { Database } from '../db/database.ts';
import { treeIds } from '../db/rows/tree-ids.ts';
import { type IssueRow, issues } from '../db/schema/work/issues.ts';
import { issueKey } from '../attempts/upstreams/provider-upstream.ts';
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
  const key = { tracker: issue.tracker, id: issue.issue_id };
  return db.all<BudgetView>(sql`select
      json_extract(i.tokens, '$.total') - i.budget_from_tokens as issueTokens,
      i.attempt_count - i.budget_from_attempts as issueAttempts,
      i.unattended_runs as unattendedRuns,
      coalesce(t.tokens, 0) as treeTokens, coalesce(t.cost_usd, 0) as treeCostUsd,
      coalesce(d.tokens, 0) as dayTokens, coalesce(d.cost_usd, 0) as dayCostUsd,
      coalesce(d.unpriced_tokens, 0) as dayUnpricedTokens
    from issues i left join usage_days d on d.day = ${utcDay(nowMs)}
      left join (select sum(tokens ->> '$.total') as tokens, sum(cost_usd) as cost_usd from issues
          where tracker = ${issue.tracker} and id in (select id from (${treeIds(key)}))) t
        on i.parent is not null or i.sub_issues <> '[]'
    where i.tracker = ${issue.tracker} and i.id = ${issue.issue_id}`);
}

/** What the trees of these issues have used, by `issueKey`; issues without relatives are left out. */
export async function usageOfTrees(
  db: Database,
  among: readonly Pick<IssueRow, 'tracker' | 'id' | 'parent' | 'sub_issues'>[],
): Promise<Map<string, Pick<BudgetView, 'treeTokens' | 'treeCostUsd'>>> {
  const found = new Map<string, Pick<BudgetView, 'treeTokens' | 'treeCostUsd'>>();
  for (const { tracker, id, parent, sub_issues: parts } of among) {
    const isAlone = parent === null && parts.length === 0;
    if (isAlone || found.has(issueKey(tracker, id))) continue;
    const rows = await db.all<{ id: string; tokens: number; cost_usd: number | null }>(
      sql`select id, tokens ->> '$.total' as tokens, cost_usd from issues
        where tracker = ${tracker} and id in (select id from (${treeIds({ tracker, id })}))`,
    );
    const treeTokens = rows.reduce((sum, { tokens }) => sum + tokens, 0);
    const treeCostUsd = rows.reduce((sum, { cost_usd: costUsd }) => sum + (costUsd ?? 0), 0);
    const used = { treeTokens, treeCostUsd };
    // The issue itself is missing while a tracker does not name it among its parent's.
    for (const one of [id, ...rows.map((row) => row.id)]) found.set(issueKey(tracker, one), used);
  }
  return found;
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
