import { DrizzleQueryError } from 'drizzle-orm';
import { expect, it } from 'vitest';
import { AppError } from './errors.ts';
import { errorMessage } from './error-message.ts';

const SECRET = 'a private word';

it('are the message of an error of ours', () => {
  expect(errorMessage(new AppError('conflict', 'the target has changed'))).toBe(
    'the target has changed',
  );
  expect(errorMessage(new Error('it is not configured'))).toBe('it is not configured');
});

it('are name and code of an error of a library, whose message may repeat what it was given', () => {
  const refused = Object.assign(new Error(`connect ${SECRET}`), { code: 'ECONNREFUSED' });
  const given = [
    [new TypeError(`Headers.append: "${SECRET}" is an invalid header value.`), 'TypeError'],
    [new TypeError('fetch failed', { cause: refused }), 'TypeError (ECONNREFUSED)'],
    [refused, 'Error (ECONNREFUSED)'],
    [new DOMException(SECRET, 'DataError'), 'DataError'],
    [SECRET, 'something unknown went wrong'],
  ] as const;
  for (const [error, words] of given) expect(errorMessage(error)).toBe(words);
});

it('hold no parameter of a failed statement, however it comes', () => {
  const failed = new DrizzleQueryError('insert into x values (?)', [SECRET], new Error('busy'));
  expect(errorMessage(failed)).toBe('the database refused: busy');
  const bare = new DrizzleQueryError('insert into x values (?)', [SECRET]);
  const wrapped = new Error(`the call failed: ${bare.message}`);
  for (const error of [bare, wrapped, String(bare)])
    expect(errorMessage(error)).not.toContain(SECRET);
});
