import { valueAt } from '../config/value-at.ts';

/** The budget for costs, which count only work with a price. */
export const COST_BUDGET = 'agent.budget.dayCostUsd';

/** The budgets by purpose, with their settings. */
export const BUDGETS = [
  {
    path: COST_BUDGET,
    label: 'Cost per day (USD)',
    hint: 'For all issues combined. Empty: no limit.',
    whole: false,
  },
  {
    path: 'agent.budget.dayTokens',
    label: 'Tokens per day',
    hint: 'For all issues combined. Empty: no limit.',
    whole: true,
  },
  {
    path: 'agent.budget.issueTokens',
    label: 'Tokens per issue',
    hint: 'For all its attempts combined. Empty: the default.',
    whole: true,
  },
  {
    path: 'agent.budget.treeTokens',
    label: 'Tokens per tree of issues',
    hint: 'For an issue and all its sub-issues combined. Empty: no limit.',
    whole: true,
  },
  {
    path: 'agent.budget.treeCostUsd',
    label: 'Cost per tree of issues (USD)',
    hint: 'For an issue and all its sub-issues combined. Empty: no limit.',
    whole: false,
  },
  {
    path: 'agent.budget.issueAttempts',
    label: 'Attempts per issue',
    hint: 'Over its lifetime. Empty: no limit.',
    whole: true,
  },
  {
    path: 'agent.budget.unattendedRuns',
    label: 'Agent runs per issue without a person',
    hint: 'Whatever ended them, since a person last did something. Empty: the default.',
    whole: true,
  },
  {
    path: 'agent.budget.attemptMinutes',
    label: 'Minutes per attempt',
    hint: 'Empty: the default.',
    whole: false,
  },
] as const;

/**
 * A changed budget; `undefined` removes it from the overlay, so that the value below applies again.
 */
type BudgetChange = { path: string; value: number | undefined };

/** A budget as the text of its field; empty: none. */
export function budgetText(config: Record<string, unknown>, path: string): string {
  const value = valueAt(config, path);
  return typeof value === 'number' ? String(value) : '';
}

/** The budget settings whose fields a person has changed. */
export function budgetChanges(
  config: Record<string, unknown>,
  textOf: (path: string) => string,
): BudgetChange[] {
  return BUDGETS.flatMap(({ path }): BudgetChange[] => {
    const text = textOf(path).replaceAll(/[\s_]/g, '');
    if (text === budgetText(config, path)) return [];
    return [{ path, value: text === '' ? undefined : Number(text) }];
  });
}
