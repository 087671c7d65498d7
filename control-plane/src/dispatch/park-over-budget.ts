import type { ReasonCode } from '@switchyard/shared/api/work/reason-code';
import { attemptWithIssue } from '../attempts/queries.ts';
import { requestCancel } from '../attempts/request-cancel.ts';
import type { EffectiveConfig } from '../config/schema/config-schema.ts';
import type { IssueRow } from '../db/schema/work/issues.ts';
import type { Deps } from '../deps.ts';
import { setIssueStatus } from '../issues/set-issue-status.ts';
import { notifyIssueGivenUp } from '../notifications/notify-issue.ts';
import { isOneOf } from '../ports/tracker/find-state.ts';
import { type BudgetView, judgeBudget, unattendedRunsOf } from '../usage/decide.ts';
import { issueKey } from '../attempts/upstreams/provider-upstream.ts';
import type { DispatchRows } from './queries.ts';

export type BudgetedRows = DispatchRows & {
  overBudget: { issue: IssueRow; code: ReasonCode; reason: string }[];
};

const NO_TREE = { treeTokens: 0, treeCostUsd: 0 };

/** Removes the candidates whose budget is used up and collects them in `overBudget`. */
export function withinBudget(
  rows: DispatchRows,
  config: EffectiveConfig,
  used: {
    today: Pick<BudgetView, 'dayTokens' | 'dayCostUsd' | 'dayUnpricedTokens'>;
    /** By `issueKey`; issues that belong to no tree are left out. */
    trees: ReadonlyMap<string, Pick<BudgetView, 'treeTokens' | 'treeCostUsd'>>;
  },
): BudgetedRows {
  const overBudget: BudgetedRows['overBudget'] = [];
  const { agent } = config;
  const budget = { ...agent.budget, unattendedRuns: unattendedRunsOf(agent) };
  const candidates = rows.candidates.filter((issue) => {
    // A test of a merge uses no tokens.
    if (issue.merging !== null) return true;
    const verdict = judgeBudget(
      {
        issueTokens: issue.tokens.total - issue.budget_from_tokens,
        issueAttempts: issue.attempt_count - issue.budget_from_attempts,
        unattendedRuns: issue.unattended_runs,
        ...(used.trees.get(issueKey(issue.tracker, issue.id)) ?? NO_TREE),
        ...used.today,
      },
      budget,
      'starting',
    );
    if (verdict.exceeded) overBudget.push({ issue, code: verdict.code, reason: verdict.reason });
    return !verdict.exceeded;
  });
  return { ...rows, candidates, overBudget };
}

/**
 * Parks issues over budget that would otherwise start. Blocked ones stay as they are, and so do
 * idle ones that never had an attempt, wait for other issues or are in no active state.
 */
export async function parkOverBudget(
  deps: Pick<Deps, 'db' | 'clock' | 'connections' | 'config' | 'trackers'>,
  overBudget: BudgetedRows['overBudget'],
): Promise<void> {
  for (const { issue, code, reason } of overBudget) {
    // An issue that a person's edit made a candidate again is idle; it too needs a visible reason.
    // So does a sub-issue for which its tree has left nothing.
    const isBegun = issue.attempt_count > 0 || code === 'tree_budget_used';
    const wouldStart = isBegun && issue.dispatchable && isActive(deps, issue);
    const waits = issue.status !== 'idle' || wouldStart;
    if (issue.status === 'blocked' || !waits) continue;
    if (await endWaitingAttempt(deps, issue, { code, reason })) continue;
    if (issue.reviewing !== null) {
      // Its work is done. The review fails for this reason, and says so where it is required.
      await setIssueStatus(deps, { issue, status: 'completed', reason, code });
      continue;
    }
    const also = notifyIssueGivenUp(deps.db, deps.clock.nowMs(), issue, { reason, code });
    const set = { parked_kind: 'budget' } as const;
    await setIssueStatus(deps, { issue, status: 'blocked', reason, code, set, also });
  }
}

/**
 * Ends an attempt that waits for another runner together with its issue; false when there is none.
 */
async function endWaitingAttempt(
  deps: Pick<Deps, 'db' | 'clock' | 'connections' | 'config'>,
  issue: IssueRow,
  why: { code: ReasonCode; reason: string },
): Promise<boolean> {
  if (issue.current_attempt_id === null) return false;
  const pair = await attemptWithIssue(deps.db, issue.current_attempt_id);
  if (pair?.attempt.status !== 'queued') return false;
  return requestCancel(deps, { ...pair, ...why, kind: 'budget' });
}

function isActive(deps: Pick<Deps, 'trackers'>, issue: IssueRow): boolean {
  const roles = deps.trackers.get(issue.tracker)?.stateRoles();
  return roles !== undefined && isOneOf(issue.state, roles.active);
}
