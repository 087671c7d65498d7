import type { Attempt, StreamEvent } from '@switchyard/shared/api/work/attempt';
import { queryOptions } from '@tanstack/react-query';
import { fetchAttemptEvents } from './queries.ts';

/** Pages of events that are read; a longer attempt is shown by its beginning and its record. */
const PAGES_MAX = 8;

/** The events of an attempt from its beginning; those of an ended attempt never change. */
export const attemptHistoryQuery = (attempt: Pick<Attempt, 'attemptId' | 'endedAt'>) =>
  queryOptions({
    queryKey: ['attempt-history', attempt.attemptId, attempt.endedAt],
    staleTime: attempt.endedAt === null ? 5_000 : Number.POSITIVE_INFINITY,
    refetchInterval: attempt.endedAt === null ? 15_000 : false,
    queryFn: async ({ signal }) => {
      const events: StreamEvent[] = [];
      for (let page = 0; page < PAGES_MAX; page += 1) {
        const after = events.at(-1)?.seq ?? 0;
        const next = (await fetchAttemptEvents(attempt.attemptId, after, signal)).events;
        if (next.length === 0) break;
        events.push(...next);
      }
      return events;
    },
    // The shown events stay while an attempt that has just ended is read once more.
    placeholderData: (shown, of) => (of?.queryKey[1] === attempt.attemptId ? shown : undefined),
  });
