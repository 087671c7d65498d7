import { expect, it } from 'vitest';
import { restoreRedacted } from './redact-config.ts';

it.each([
  ['https://h/[redacted]/shop.git', 'https://h/a-company/shop.git'],
  ['[redacted] and [redacted]!', 'one and another!'],
  ['x [redacted]', 'x y'],
])('keeps the text that was shown as %s', (shown, stored) => {
  expect(restoreRedacted([{ url: shown }], [{ url: stored }])).toEqual([{ url: stored }]);
});

it.each([
  ['https://h/[redacted]/other.git', 'https://h/a-company/shop.git'],
  ['ab[redacted]bc', 'abc'],
  ['a [redacted] b [redacted] c', 'a x c'],
  ['text', 'another'],
  ['a [redacted]', undefined],
])('takes %s as it is, which is another text', (given, stored) => {
  expect(restoreRedacted({ url: given }, { url: stored })).toEqual({ url: given });
});
