import type { StreamEvent } from '@switchyard/shared/api/work/attempt';
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { EventFeed, type FeedStatus } from '../../api/event-feed.ts';
import { eventStream } from '../../api/event-stream.ts';
import { fetchAttemptEvents } from '../../api/queries.ts';
import { coalesce } from './live/coalesce.ts';
import { appendEvents, emptyLog, type EventLog } from './rows/event-log.ts';

/**
 * Live events are drawn together at this pace, also in a tab that paints no frames. Each draw costs
 * a layout, whatever is new: twice as often would make half the frames late and tell nobody more.
 */
const DRAW_MS = 100;

export type AttemptLog = { log: EventLog; status: FeedStatus; error: unknown; retry: () => void };

/** The log of one attempt: what is stored, then what happens. */
export function useAttemptLog(attemptId: string): AttemptLog {
  const [log, setLog] = useState(emptyLog);
  const [feedState, setFeedState] = useState<{ status: FeedStatus; error: unknown }>({
    status: 'loading',
    error: null,
  });
  const feed = useRef<EventFeed | null>(null);

  useEffect(() => {
    let known = emptyLog();
    setLog(known);
    const drawn = coalesce<StreamEvent>(DRAW_MS, (events) => {
      known = appendEvents(known, events);
      setLog(known);
    });
    const current = new EventFeed({
      stream: eventStream,
      wants: ({ data }) => data['attemptId'] === attemptId,
      fetchPage: async (after, signal) =>
        (await fetchAttemptEvents(attemptId, after, signal)).events,
      onEvents: (events) => drawn.add(events),
      onOther: () => {
        drawn.stop();
        known = emptyLog();
        setLog(known);
      },
      onStatus: (status, error) => {
        drawn.flush();
        setFeedState({ status, error });
      },
    });
    feed.current = current;
    current.start();
    return () => {
      current.stop();
      drawn.stop();
    };
  }, [attemptId]);

  const retry = useCallback(() => void feed.current?.load(), []);
  return { log, ...feedState, retry };
}
