import type { MergeQueueEntry } from '@switchyard/shared/api/pull-requests/merge-queue';
import { describe, expect, it } from 'vitest';
import { groupEntries, groupSummary } from './group-entries.ts';

const entry = (number: number, part: Partial<MergeQueueEntry>) =>
  ({
    number,
    repositoryUrl: 'file:///a.git',
    base: 'main',
    state: 'waiting',
    ...part,
  }) as MergeQueueEntry;

describe('the entries of the merge queues', () => {
  it('are by repository and base branch, in the order of the service', () => {
    const entries = [
      entry(4, { state: 'testing' }),
      entry(2, {}),
      entry(9, { base: 'next' }),
      entry(1, { repositoryUrl: 'file:///b.git' }),
    ];
    expect(
      groupEntries(entries).map((group) => [
        group.repositoryUrl,
        group.base,
        group.entries.map(({ number }) => number),
      ]),
    ).toEqual([
      ['file:///a.git', 'main', [4, 2]],
      ['file:///a.git', 'next', [9]],
      ['file:///b.git', 'main', [1]],
    ]);
    expect(groupEntries([])).toEqual([]);
  });

  it('are summed up, with what is tested now first', () => {
    const states = ['testing', 'waiting', 'waiting', 'returned', 'held'] as const;
    expect(groupSummary(states.map((state, index) => entry(index + 1, { state })))).toBe(
      '#1 is tested, 2 wait, 1 is sent back, 1 is held',
    );
    expect(groupSummary([entry(1, {})])).toBe('none is tested, 1 waits');
  });
});
