import type { IssueDetail } from '@switchyard/shared/api/work/issue';
import type { Sighting } from './overlap-watch.ts';

/** In words, attempts of one issue of which the later one was seen to run before the earlier ended. */
export function sharedWorkspaces(
  issues: readonly Pick<IssueDetail, 'identifier' | 'attempts'>[],
  sightings: ReadonlyMap<string, Sighting>,
): string[] {
  return issues.flatMap(({ identifier, attempts }) => {
    const seen = attempts
      .toSorted((a, b) => a.number - b.number)
      .flatMap(({ attemptId }) => {
        const sighting = sightings.get(attemptId);
        return sighting === undefined ? [] : [{ attemptId, ...sighting }];
      });
    return seen.flatMap(({ attemptId, firstMs }, index) => {
      const before = seen.slice(0, index).find(({ lastMs }) => lastMs > firstMs);
      if (before === undefined) return [];
      return [`${identifier}: ${attemptId} ran while ${before.attemptId} still did`];
    });
  });
}
