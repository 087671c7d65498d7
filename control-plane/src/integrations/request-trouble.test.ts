import { expect, it } from 'vitest';
import { AnswerTooLong } from './read-body.ts';
import { requestTrouble } from './request-trouble.ts';

const failureOf = (url: string, headers: Record<string, string>) =>
  fetch(url, { headers, signal: AbortSignal.timeout(60_000) }).then(
    () => null,
    (error: unknown) => error,
  );

it('says that a header cannot be sent without repeating it', async () => {
  const error = await failureOf('http://127.0.0.1:9/', { authorization: 'Bearer one\ntwo' });
  expect(String(error)).toContain('one');
  expect(requestTrouble(error)).toMatch(/^the address or the credential .* line break/);
});

it('says the code of what the network did, without the address', async () => {
  const words = requestTrouble(await failureOf('http://127.0.0.1:9/secret-path', {}));
  expect(words).toMatch(/^no connection( \([A-Z_]+\))?$/);
});

it('says in plain words that a name is not known', async () => {
  const words = requestTrouble(await failureOf('http://no-such-host.invalid/secret-path', {}));
  expect(words).toMatch(/^its name (is not known|could not be looked up) \(E[A-Z_]+\)$/);
});

it('knows an answer that came too late or was too long', () => {
  expect(requestTrouble(new DOMException('at x', 'TimeoutError'))).toBe('no answer in time');
  expect(requestTrouble(new AnswerTooLong(8))).toBe('the answer is longer than 8 bytes');
  expect(requestTrouble('x')).toBe('no connection');
});
