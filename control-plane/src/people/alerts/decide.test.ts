import { describe, expect, it } from 'vitest';
import { addsTo, countMatching, judgeRule, type RuleView } from './decide.ts';

const judge = (changes: Partial<RuleView>) =>
  judgeRule({
    value: 3,
    threshold: 3,
    comparison: 'at_least',
    cooldownMs: 1_000,
    lastFiredAtMs: null,
    nowMs: 10_000,
    ...changes,
  });

describe('a rule', () => {
  it('fires at its threshold, on the side that is bad', () => {
    expect(judge({})).toBe('trigger');
    expect(judge({ value: 2 })).toBe('evaluation');
    expect(judge({ comparison: 'at_most', value: 4 })).toBe('evaluation');
    expect(judge({ comparison: 'at_most', threshold: 0, value: 0 })).toBe('trigger');
    expect(judge({ comparison: 'at_most', value: null })).toBe('evaluation');
  });

  it('stays silent for its cooldown after it fired', () => {
    expect(judge({ lastFiredAtMs: 9_001 })).toBe('cooldown');
    expect(judge({ lastFiredAtMs: 9_000 })).toBe('trigger');
    expect(judge({ lastFiredAtMs: 9_999, cooldownMs: 0 })).toBe('trigger');
    expect(judge({ lastFiredAtMs: 9_999, value: 0 })).toBe('evaluation');
  });
});

describe('the history', () => {
  it('keeps findings that are alike as one row for an hour, and every trigger', () => {
    const newest = { kind: 'evaluation', firstAtMs: 0 } as const;
    expect(addsTo(newest, 'evaluation', 3_599_999)).toBe(true);
    expect(addsTo(newest, 'evaluation', 3_600_000)).toBe(false);
    expect(addsTo(newest, 'cooldown', 1)).toBe(false);
    expect(addsTo({ kind: 'trigger', firstAtMs: 0 }, 'trigger', 1)).toBe(false);
    expect(addsTo(null, 'evaluation', 1)).toBe(false);
  });
});

describe('events', () => {
  it('count where type, outcome and failure kind are those of the condition', () => {
    const row = { type: 'attempt.ended', outcome: 'failed', failureKind: 'agent_error' };
    const counts = [
      { ...row, minuteMs: 0, count: 2 },
      { ...row, failureKind: 'runner_lost', minuteMs: 0, count: 5 },
      { ...row, minuteMs: 60_000, count: 1 },
      { ...row, type: 'issue.failed', minuteMs: 0, count: 9 },
    ];
    const event = 'attempt.ended';
    expect(countMatching({ event, failureKind: 'agent_error' }, counts)).toEqual([
      { minuteMs: 0, count: 2 },
      { minuteMs: 60_000, count: 1 },
    ]);
    expect(countMatching({ event, outcome: 'failed' }, counts)[0]).toEqual({
      minuteMs: 0,
      count: 7,
    });
    expect(countMatching({}, counts)).toEqual([]);
  });
});
