import { expect, it } from 'vitest';
import { showUnseen } from './show-unseen.ts';

it('writes out what could make code look like other code', () => {
  expect(showUnseen("if (role !== 'user\u202e \u2066// admins\u2069 \u2066') {")).toBe(
    "if (role !== 'user[U+202E] [U+2066]// admins[U+2069] [U+2066]') {",
  );
  expect(showUnseen('a\u200bb\u{e0041}c\u3164d\u001be\u009bf')).toBe(
    'a[U+200B]b[U+E0041]c[U+3164]d[U+001B]e[U+009B]f',
  );
});

it('leaves what people write', () => {
  const text = '\tnaïve 👩‍👩‍👧 שלום می‌خواهم\r';
  expect(showUnseen(text)).toBe(text);
});
