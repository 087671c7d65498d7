import { describe, expect, it } from 'vitest';
import { baseOfWork } from './base-of-work.ts';

const work = { base: 'main', baseIsGone: false, remoteBase: 'trunk', configured: undefined };

describe('baseOfWork', () => {
  it('is the branch that it began on while that is there', () => {
    expect(baseOfWork(work)).toEqual({ branch: 'main' });
    expect(baseOfWork({ ...work, configured: 'main' })).toEqual({ branch: 'main' });
    expect(baseOfWork({ ...work, base: null })).toEqual({ branch: 'trunk' });
  });

  it('is the default branch of the remote once that is gone', () => {
    expect(baseOfWork({ ...work, baseIsGone: true })).toEqual({ branch: 'trunk' });
    expect(baseOfWork({ ...work, baseIsGone: true, configured: 'trunk' })).toEqual({
      branch: 'trunk',
    });
  });

  it('is left to a person who configured one that is gone', () => {
    expect(baseOfWork({ ...work, baseIsGone: true, configured: 'main' })).toEqual({
      missing: expect.stringContaining('the remote has no branch main') as string,
    });
  });
});
