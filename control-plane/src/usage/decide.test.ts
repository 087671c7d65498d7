import { describe, expect, it } from 'vitest';
import { unattendedRunsOf } from './decide.ts';

const runs = (maxContinuationAttempts: number, unattendedRuns?: number) =>
  unattendedRunsOf({
    maxContinuationAttempts,
    budget: { issueTokens: 1, ...(unattendedRuns === undefined ? {} : { unattendedRuns }) },
  });

describe('agent runs until a person does something', () => {
  it('are 30 where few attempts are allowed', () => {
    expect([runs(0), runs(5)]).toEqual([30, 30]);
  });

  it('leave room for all attempts that are configured', () => {
    expect(runs(100)).toBeGreaterThan(101);
  });

  it('are as many as configured, also where that is fewer', () => {
    expect(runs(100, 4)).toBe(4);
  });
});
