import { expect, it } from 'vitest';
import { namesText } from './names-text.ts';

it.each([
  [['a', 'b'], 5, 'a, b and 3 more'],
  [['a', 'b'], 2, 'a, b'],
  [['a'], 0, 'a'],
  [[], 0, ''],
])('%j of %d are told as %j', (names, total, text) => expect(namesText(names, total)).toBe(text));
