import type { StreamEvent } from '@switchyard/shared/api/work/attempt';
import { useState } from 'preact/hooks';
import { fetchStoredEvents } from '../../api/queries.ts';
import { type FeedState, useEventFeed } from '../log/live/use-event-feed.ts';
import { FEED_TYPES } from './feed-line.ts';

/** How much of the past is shown at first, counted with the lines of logs that are left out. */
const LAST = 5_000;
/** More lines than this nobody scrolls through; the oldest go. */
const SHOWN_MAX = 1_000;

export type Feed = FeedState & { events: readonly StreamEvent[] };

/** What happened lately and what happens now, newest first. */
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
