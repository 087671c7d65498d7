import type { StreamEvent } from '@switchyard/shared/api/work/attempt';
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { EventFeed, type FeedStatus } from '../../api/event-feed.ts';
import { eventStream } from '../../api/event-stream.ts';
import { fetchStoredEvents } from '../../api/queries.ts';
import { coalesce } from '../log/live/coalesce.ts';
import { FEED_TYPES } from './feed-line.ts';

/** How much of the past is shown at first, counted with the lines of logs that are left out. */
const LAST = 5_000;
/** More lines than this nobody scrolls through; the oldest go. */
const SHOWN_MAX = 1_000;
const DRAW_MS = 100;

export type Feed = {
  events: readonly StreamEvent[];
  status: FeedStatus;
  error: unknown;
  retry: () => void;
};

/** What happened lately and what happens now, newest first. */
export function useFeed(): Feed {
  const [events, setEvents] = useState<readonly StreamEvent[]>([]);
  const [read, setRead] = useState<{ status: FeedStatus; error: unknown }>({
    status: 'loading',
    error: null,
  });
  const current = useRef<EventFeed | null>(null);
  useEffect(() => {
    const drawn = coalesce<StreamEvent>(DRAW_MS, (fresh) =>
      setEvents((known) => [...fresh.toReversed(), ...known].slice(0, SHOWN_MAX)),
    );
    const feed = new EventFeed({
      stream: eventStream,
      wants: ({ type }) => FEED_TYPES.has(type),
      fetchPage: async (after, signal) => {
        const from = after > 0 ? { after: String(after) } : { last: String(LAST) };
        const stored = await fetchStoredEvents({ ...from, types: [...FEED_TYPES].join() }, signal);
        return stored.filter(({ type }) => FEED_TYPES.has(type));
      },
      onEvents: (fresh) => drawn.add(fresh),
      onOther: () => {
        drawn.stop();
        setEvents([]);
      },
      onStatus: (status, error) => {
        drawn.flush();
        setRead({ status, error });
      },
    });
    current.current = feed;
    feed.start();
    return () => {
      feed.stop();
      drawn.stop();
    };
  }, []);
  const retry = useCallback(() => void current.current?.load(), []);
  return { events, ...read, retry };
}
