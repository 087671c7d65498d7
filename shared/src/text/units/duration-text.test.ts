import { expect, it } from 'vitest';
import { durationText } from './duration-text.ts';

it.each([
  [-5, '0.0 s'],
  [0, '0.0 s'],
  [420, '0.4 s'],
  [1_234, '1.2 s'],
  [9_949, '9.9 s'],
  [9_951, '10 s'],
  [59_499, '59 s'],
  [59_500, '1 min 0 s'],
  [75_400, '1 min 15 s'],
  [3_599_499, '59 min 59 s'],
  [3_599_500, '1 h 0 min'],
  [7_469_000, '2 h 4 min'],
  [100 * 3_600_000, '100 h 0 min'],
])('a duration of %i ms is %s', (durationMs, text) => {
  expect(durationText(durationMs)).toBe(text);
});
