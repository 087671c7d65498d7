import type { StreamEvent } from '@switchyard/shared/api/work/attempt';
import { useState } from 'preact/hooks';
import { fetchStoredEvents } from '../../api/queries.ts';
import { type FeedState, useEventFeed } from '../log/live/use-event-feed.ts';
import { FEED_TYPES } from './feed-line.ts';

/** Number of past events that are read at first, including log lines, which are not shown. */
const LAST = 5_000;
/** Maximum number of lines; beyond it the oldest are removed. */
const SHOWN_MAX = 1_000;

export type Feed = FeedState & { events: readonly StreamEvent[] };

/** Recent and live events, newest first. */
export function useFeed(): Feed {
  const [events, setEvents] = useState<readonly StreamEvent[]>([]);
  const feed = useEventFeed('all', () => ({
    wants: ({ type }) => FEED_TYPES.has(type),
    fetchPage: async (after, signal) => {
      const from = after > 0 ? { after: String(after) } : { last: String(LAST) };
      const stored = await fetchStoredEvents({ ...from, types: [...FEED_TYPES].join() }, signal);
      return stored.filter(({ type }) => FEED_TYPES.has(type));
    },
    draw: (fresh) => setEvents((known) => [...fresh.toReversed(), ...known].slice(0, SHOWN_MAX)),
    clear: () => setEvents([]),
  }));
  return { events, ...feed };
}
