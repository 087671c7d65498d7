import { expect, it } from 'vitest';
import { answerMessage } from './answer-message.ts';

it.each([
  [413, 'what was sent is too large for the service or a proxy before it (status 413)'],
  [429, 'too many requests came from here (status 429)'],
  [502, 'a proxy answers, and the service behind it does not (status 502)'],
  [418, 'the service responded with status 418'],
])('an answer with %i and no words of its own is told by what it means', (status, words) => {
  expect(answerMessage(status)).toBe(words);
});
