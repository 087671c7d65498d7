import type { MergeQueueEntry } from '@switchyard/shared/api/pull-requests/merge-queue';
import { plural } from '../../format/format-count.ts';

/** The merge queue of one base branch. */
export type MergeGroup = { repositoryUrl: string; base: string; entries: MergeQueueEntry[] };

/** The entries by repository and base branch, each in the order of the service. */
export function groupEntries(entries: readonly MergeQueueEntry[]): MergeGroup[] {
  const groups = Map.groupBy(entries, ({ repositoryUrl, base }) =>
    JSON.stringify([repositoryUrl, base]),
  );
  return [...groups.values()].flatMap((own) => {
    const [first] = own;
    if (first === undefined) return [];
    return [{ repositoryUrl: first.repositoryUrl, base: first.base, entries: own }];
  });
}

/** What happens in a queue now: `#4 is tested, 2 wait, 1 is held`. */
export function groupSummary(entries: readonly MergeQueueEntry[]): string {
  const {
    testing = [],
    waiting = [],
    returned = [],
    held = [],
  } = Object.groupBy(entries, ({ state }) => state);
  const parts = [
    ...testing.map(({ number }) => `#${number} is tested`),
    ...(testing.length === 0 ? ['none is tested'] : []),
    ...countOf(waiting.length, 'waits', 'wait'),
    ...countOf(returned.length, 'is sent back', 'are sent back'),
    ...countOf(held.length, 'is held', 'are held'),
  ];
  return parts.join(', ');
}

const countOf = (count: number, one: string, many: string) =>
  count === 0 ? [] : [plural(count, one, many)];
