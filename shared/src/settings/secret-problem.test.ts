import { expect, it } from 'vitest';
import { secretProblem, withoutEndBreaks } from './secret-problem.ts';

const PEM = '-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkq\n-----END PRIVATE KEY-----';

it('takes the line breaks around a secret away, and no other character', () => {
  expect(withoutEndBreaks('\r\nab\ncd\n\r\n\n')).toBe('ab\ncd');
  expect(withoutEndBreaks(' ab ')).toBe(' ab ');
  expect(withoutEndBreaks('\n\n')).toBe('');
});

it.each(['ab\ncd', 'ab\rcd', 'ab\tcd', 'ab\u0000cd', 'ab\u200bcd', 'ab\u2028cd', '\uFEFFabcd'])(
  'refuses %j without repeating it',
  (secret) => {
    expect(secretProblem(secret, { inLines: true })).toMatch(/^has a line break .* in one piece/);
  },
);

it('takes words of people, and keys in PEM where they are wanted', () => {
  for (const secret of ['correct horse battery', 'пароль', PEM, `${PEM}\r\n${PEM}`])
    expect(secretProblem(secret, { inLines: true })).toBeNull();
  expect(secretProblem(PEM, { inLines: false })).toMatch(/key in PEM/);
  expect(secretProblem(`x${PEM}`, { inLines: true })).toMatch(/line break/);
});
