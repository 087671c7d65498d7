import type { StreamEvent } from '@switchyard/shared/api/work/attempt';
import { useEffect, useState } from 'preact/hooks';
import { EventStream, type StreamStatus } from '../../api/event-stream.ts';
import { FEED_TYPES } from './feed-line.ts';

/** How much of the past is shown at first, counted with the lines of logs that are left out. */
const LAST = 5_000;
/** More lines than this nobody scrolls through; the oldest go. */
const SHOWN_MAX = 1_000;
const DRAW_MS = 100;

/** What happened lately and what happens now, newest first. */
export function useFeed(): { events: readonly StreamEvent[]; status: StreamStatus } {
  const [events, setEvents] = useState<readonly StreamEvent[]>([]);
  const [status, setStatus] = useState<StreamStatus>('connecting');
  useEffect(() => {
    let waiting: StreamEvent[] = [];
    let timer: ReturnType<typeof setTimeout> | null = null;
    const draw = () => {
      timer = null;
      const fresh = waiting.toReversed();
      waiting = [];
      setEvents((known) => [...fresh, ...known].slice(0, SHOWN_MAX));
    };
    const stream = new EventStream((url) => {
      const [path, after] = url.split('?');
      return new EventSource(`${path}?${after ?? `last=${LAST}`}&types=${FEED_TYPES}`);
    });
    const offs = [
      stream.onStatus(() => setStatus(stream.status)),
      stream.subscribe((event) => {
        waiting.push(event);
        timer ??= setTimeout(draw, DRAW_MS);
      }),
    ];
    stream.start();
    return () => {
      stream.stop();
      for (const off of offs) off();
      if (timer !== null) clearTimeout(timer);
    };
  }, []);
  return { events, status };
}
