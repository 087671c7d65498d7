import { expect, it } from 'vitest';
import { asHunkData } from '../as-hunk-data.ts';
import { MarkBudget } from './mark-budget.ts';
import { parseDiff } from '../parse-diff.ts';

const hunksOf = (diff: string) => (parseDiff(diff)[0]?.hunks ?? []).map(asHunkData);
const changed = (chars: number) => `-${'a'.repeat(chars)}\n+${'b'.repeat(chars)}\n`;
const blocks = (count: number, chars: number) =>
  hunksOf(`@@ -1,9 +1,9 @@\n${`${changed(chars)} same\n`.repeat(count)}`);

it('lets usual changes be marked, and none that would hold the page up', () => {
  const budget = new MarkBudget(() => 0);
  expect(budget.spend(blocks(100, 120), () => 'marks')).toBe('marks');
  expect(budget.spend(blocks(1, 10_000), () => 'marks')).toBeNull();
  expect(budget.spend(blocks(150, 2_000), () => 'marks')).toBeNull();
});

it('ends when all files together have taken their time', () => {
  let nowMs = 0;
  const budget = new MarkBudget(() => nowMs);
  const slow = () => ((nowMs += 1_500), 'marks');
  const found = Array.from({ length: 3 }, () => budget.spend(blocks(1, 10), slow));
  expect(found).toEqual(['marks', 'marks', null]);
});
