import type { Attempt } from '@switchyard/shared/api/work/attempt';
import type { IssueDetail } from '@switchyard/shared/api/work/issue';
import { describe, expect, it } from 'vitest';
import { ownTokensAt, withOwnUsage } from './own-usage.ts';

const attempt = (number: number, threadId: string | null, total: number, costUsd: number | null) =>
  ({
    attemptId: `att_${number}`,
    number,
    threadId,
    tokens: { input: total, cachedInput: 0, output: 0, reasoning: 0, total },
    costUsd,
  }) as Attempt;

const shown = (...attempts: Attempt[]) =>
  withOwnUsage({ attempts: attempts.toReversed() } as IssueDetail).attempts.map(
    ({ number, tokens, costUsd, tokensBefore }) => [number, tokens.total, costUsd, tokensBefore],
  );

describe('what an attempt used itself', () => {
  it('is what it added to the thread that it went on with', () => {
    expect(shown(attempt(1, 'a', 100, 1), attempt(2, 'a', 250, 2.5))).toEqual([
      [2, 150, 1.5, 100],
      [1, 100, 1, 0],
    ]);
  });

  it('is everything on a thread of its own', () => {
    expect(shown(attempt(1, 'a', 100, null), attempt(2, 'b', 250, null))).toEqual([
      [2, 250, null, 0],
      [1, 100, null, 0],
    ]);
  });

  it('is nothing before it told something, and the next one counts from the one before', () => {
    const rows = shown(
      attempt(1, 'a', 100, 1),
      attempt(2, 'a', 0, null),
      attempt(3, 'a', 130, 1.25),
      attempt(4, null, 0, null),
    );
    expect(rows).toEqual([
      [4, 0, null, 0],
      [3, 30, 0.25, 100],
      [2, 0, null, 100],
      [1, 100, 1, 0],
    ]);
  });

  it.each([
    ['on the thread it went on with', 'a', 130, 30],
    ['on another thread', 'b', 130, 130],
    ['before it used anything', 'a', 90, 0],
  ])('is told at a checkpoint %s', (_where, threadId, total, own) => {
    const { tokens } = attempt(1, threadId, total, null);
    expect(ownTokensAt({ threadId, tokens }, { threadId: 'a', tokensBefore: 100 })).toBe(own);
  });
});
