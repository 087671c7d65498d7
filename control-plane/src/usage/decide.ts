import type { ReasonCode } from '@switchyard/shared/api/work/reason-code';

/** What an issue and all issues of the day have used, to compare with budgets. */
export type BudgetView = {
  issueTokens: number;
  issueAttempts: number;
  /** Agent runs since a person last acted on the issue. */
  unattendedRuns: number;
  /** What the whole tree of issues that it belongs to has used; 0: it belongs to none. */
  treeTokens: number;
  treeCostUsd: number;
  dayTokens: number;
  dayCostUsd: number;
  /** Tokens of models without a price, which the cost does not include. */
  dayUnpricedTokens: number;
};

export type Budget = {
  issueTokens: number;
  issueAttempts?: number;
  unattendedRuns?: number;
  treeTokens?: number;
  treeCostUsd?: number;
  dayTokens?: number;
  dayCostUsd?: number;
};

export type BudgetVerdict =
  | { exceeded: false }
  | { exceeded: true; code: ReasonCode; reason: string };

const MIN_UNATTENDED_RUNS = 30;
/** Runs allowed for each attempt, since some runs use up no attempt. */
const RUNS_PER_ATTEMPT = 5;

/**
 * The limit of unattended runs: the configured one, else one that grows with the configured
 * attempts, so that it never ends them early.
 */
export function unattendedRunsOf(agent: {
  maxContinuationAttempts: number;
  budget: Budget;
}): number {
  const attempts = 1 + agent.maxContinuationAttempts;
  const unconfigured = Math.max(MIN_UNATTENDED_RUNS, RUNS_PER_ATTEMPT * attempts);
  return agent.budget.unattendedRuns ?? unconfigured;
}

/**
 * Whether a budget is used up. Attempts and runs are checked only before another one starts.
 * `unattendedRuns` limits every path that starts an agent, whatever else it counts.
 */
export function judgeBudget(
  used: BudgetView,
  budget: Budget,
  moment: 'running' | 'starting',
): BudgetVerdict {
  if (used.issueTokens >= budget.issueTokens) {
    return over(
      'issue_budget_used',
      `used ${used.issueTokens} of ${budget.issueTokens} tokens of this issue's budget`,
    );
  }
  const { issueAttempts, dayTokens, dayCostUsd } = budget;
  if (moment === 'starting' && issueAttempts !== undefined && used.issueAttempts >= issueAttempts) {
    return over(
      'issue_budget_used',
      `used ${used.issueAttempts} of ${issueAttempts} attempts of this issue's budget`,
    );
  }
  const { unattendedRuns } = budget;
  const isStarting = moment === 'starting' && unattendedRuns !== undefined;
  if (isStarting && used.unattendedRuns >= unattendedRuns) {
    return {
      exceeded: true,
      code: 'unattended_runs_used',
      reason: `used ${used.unattendedRuns} of ${unattendedRuns} agent runs that an issue may have until a person does something about it`,
    };
  }
  const { treeTokens, treeCostUsd } = budget;
  const ofTree = "of its tree's budget";
  if (treeTokens !== undefined && used.treeTokens >= treeTokens)
    return over('tree_budget_used', `used ${used.treeTokens} of ${treeTokens} tokens ${ofTree}`);
  if (treeCostUsd !== undefined && used.treeCostUsd >= treeCostUsd) {
    const spent = `spent $${used.treeCostUsd.toFixed(2)} of $${treeCostUsd.toFixed(2)}`;
    return over('tree_budget_used', `${spent} ${ofTree}`);
  }
  if (dayTokens !== undefined && used.dayTokens >= dayTokens) {
    return over(
      'day_budget_used',
      `used ${used.dayTokens} of ${dayTokens} tokens of today's budget (UTC)`,
    );
  }
  if (dayCostUsd !== undefined && used.dayCostUsd >= dayCostUsd) {
    const spent = `spent $${used.dayCostUsd.toFixed(2)} of $${dayCostUsd.toFixed(2)} of today's budget (UTC)`;
    const lacks = used.dayUnpricedTokens;
    return over(
      'day_budget_used',
      lacks === 0 ? spent : `${spent}, and used ${lacks} tokens without a price`,
    );
  }
  return { exceeded: false };
}

function over(code: ReasonCode, reason: string): BudgetVerdict {
  return { exceeded: true, code, reason };
}
