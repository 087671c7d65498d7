import { expect, it } from 'vitest';
import { limitsOf } from './limits-of.ts';

it('finds every window with a share that is used', () => {
  const said = {
    primary: { usedPercent: 12.5, windowDurationMins: 300, resetsAt: 1_800_000_000 },
    secondary: { usedPercent: 90, resetsAt: null },
    credits: null,
  };
  expect(limitsOf(said)).toEqual([
    { name: 'primary', usedPercent: 12.5, resetsAt: '2027-01-15T08:00:00.000Z' },
    { name: 'secondary', usedPercent: 90, resetsAt: null },
  ]);
  expect(limitsOf(null)).toEqual([]);
});
