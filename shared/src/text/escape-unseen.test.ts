import { expect, it } from 'vitest';
import { escapeUnseen } from './escape-unseen.ts';

it('writes out what a terminal would obey', () => {
  expect(escapeUnseen('a\u009b31m\u001b]0;x\u0007\u202e\u2028\u0085\rb\n\tü😀')).toBe(
    'a\\u009b31m\\u001b]0;x\\u0007\\u202e\\u2028\\u0085\\u000db\n\tü😀',
  );
});

it('leaves JSON what it says', () => {
  const value = { text: '\u009b2J\u2028\u202e"\\\u007f' };
  const line = escapeUnseen(JSON.stringify(value));
  expect(line).not.toMatch(/[^\P{Cc}\n]|[\u2028\u202e]/u);
  expect(JSON.parse(line)).toEqual(value);
});
