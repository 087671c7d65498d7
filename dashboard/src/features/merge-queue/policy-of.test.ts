import type { RepoRoute } from '@switchyard/shared/api/admin/repo-route';
import { describe, expect, it } from 'vitest';
import { policyOf } from './policy-of.ts';

const URL_A = 'file:///a.git';
const CHECKS = [{ name: 'test', command: 'npm test' }];
const route = (part: Partial<RepoRoute>): RepoRoute => ({ prefix: 'SY-', url: URL_A, ...part });

describe('the merge policy of a repository', () => {
  it('is none where people merge, and where its routes are not known', () => {
    expect(policyOf(undefined, URL_A)).toBeNull();
    expect(policyOf([route({})], URL_A)).toBeNull();
    expect(policyOf([route({ merge: { mode: 'never' }, checks: CHECKS })], URL_A)).toBeNull();
    const other = route({ url: 'file:///b.git', merge: { mode: 'ask' } });
    expect(policyOf([other], URL_A)).toBeNull();
  });

  it('is that of the route which can test a merge', () => {
    const bare = route({ merge: { mode: 'ask' } });
    const tested = route({ label: 'x', merge: { mode: 'when-green' }, checks: CHECKS });
    expect(policyOf([bare], URL_A)).toEqual({ mode: 'ask', hasChecks: false });
    expect(policyOf([bare, tested], URL_A)).toEqual({ mode: 'when-green', hasChecks: true });
  });
});
