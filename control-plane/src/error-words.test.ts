import { DrizzleQueryError } from 'drizzle-orm';
import { expect, it } from 'vitest';
import { errorWords } from './error-words.ts';

const SECRET = 'a private word';

it('are the message of an error, or whatever was thrown', () => {
  expect(errorWords(new TypeError('x is no y'))).toBe('x is no y');
  expect(errorWords('out of reach')).toBe('out of reach');
});

it('hold no parameter of a failed statement, however it comes', () => {
  const failed = new DrizzleQueryError('insert into x values (?)', [SECRET], new Error('busy'));
  expect(errorWords(failed)).toBe('the database refused: busy');
  const bare = new DrizzleQueryError('insert into x values (?)', [SECRET]);
  const wrapped = new Error(`the call failed: ${bare.message}`);
  for (const error of [bare, wrapped, String(bare)])
    expect(errorWords(error)).not.toContain(SECRET);
});
