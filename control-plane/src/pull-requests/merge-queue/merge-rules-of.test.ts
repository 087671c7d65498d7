import { describe, expect, it } from 'vitest';
import { mergeRulesOf } from './merge-rules-of.ts';

const URL_A = 'file:///a.git';
const CHECKS = [{ name: 'test', command: 'npm test' }];
const ASK = { mode: 'ask' } as const;

describe('the rules by which the queue merges into a repository', () => {
  it('are the policy of its route', () => {
    const route = { url: URL_A, merge: ASK, checks: CHECKS };
    expect(mergeRulesOf(route, URL_A)).toEqual({ policy: ASK, whyNot: null });
  });

  it.each([
    ['no route', null, 'off'],
    ['a route to another repository', { url: 'file:///b.git', merge: ASK, checks: CHECKS }, 'off'],
    ['a route without a policy', { url: URL_A, checks: CHECKS }, 'off'],
    ['people who merge', { url: URL_A, merge: { mode: 'never' as const }, checks: CHECKS }, 'off'],
    ['no declared checks', { url: URL_A, merge: ASK }, 'no checks'],
    ['an empty list of checks', { url: URL_A, merge: ASK, checks: [] }, 'no checks'],
  ])('are none with %s', (_what, route, why) => {
    const whyNot = expect.stringContaining(why) as string;
    expect(mergeRulesOf(route, URL_A)).toEqual({ policy: null, whyNot });
  });
});
