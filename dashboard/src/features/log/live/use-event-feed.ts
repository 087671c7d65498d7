import type { StreamEvent } from '@switchyard/shared/api/work/attempt';
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { EventFeed, type EventFeedDeps, type FeedStatus } from '../../../api/event-feed.ts';
import { eventStream } from '../../../api/event-stream.ts';
import { coalesce } from './coalesce.ts';

/**
 * Interval at which live events are drawn together, also in a tab that paints no frames. Each
 * drawing costs a layout, however few events it has: twice as often would delay half the frames for
 * no benefit.
 */
const DRAW_MS = 100;

type Source = Pick<EventFeedDeps, 'wants' | 'fetchPage'> & {
  draw: (events: StreamEvent[]) => void;
  /** Called when the drawn events belong to another history, as after a restored backup. */
  clear: () => void;
};

export type FeedState = { status: FeedStatus; error: unknown; retry: () => void };

/** Draws stored events, then live ones; starts again for another `key`. */
export function useEventFeed(key: string, begin: () => Source): FeedState {
  const [state, setState] = useState<Omit<FeedState, 'retry'>>({ status: 'loading', error: null });
  const feed = useRef<EventFeed | null>(null);
  useEffect(() => {
    const { draw, clear, ...source } = begin();
    const drawn = coalesce<StreamEvent>(DRAW_MS, draw);
    const current = new EventFeed({
      stream: eventStream,
      ...source,
      onEvents: (events) => drawn.add(events),
      onOther: () => {
        drawn.stop();
        clear();
      },
      onStatus: (status, error) => {
        drawn.flush();
        setState({ status, error });
      },
    });
    feed.current = current;
    current.start();
    return () => {
      current.stop();
      drawn.stop();
    };
  }, [key]);
  const retry = useCallback(() => void feed.current?.load(), []);
  return { ...state, retry };
}
