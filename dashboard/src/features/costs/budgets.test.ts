import { expect, it } from 'vitest';
import { budgetChanges } from './budgets.ts';

it('takes only what a person has changed, and an empty field as no limit of ours', () => {
  const config = { agent: { budget: { dayCostUsd: 5, issueTokens: 20_000_000 } } };
  const texts: Record<string, string> = {
    'agent.budget.dayCostUsd': '',
    'agent.budget.dayTokens': '1 000_000',
    'agent.budget.issueTokens': '20000000',
  };
  expect(budgetChanges(config, (path) => texts[path] ?? '')).toEqual([
    { path: 'agent.budget.dayCostUsd', value: undefined },
    { path: 'agent.budget.dayTokens', value: 1_000_000 },
  ]);
});
