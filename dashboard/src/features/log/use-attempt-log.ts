import { useState } from 'preact/hooks';
import { fetchAttemptEvents } from '../../api/queries.ts';
import { type FeedState, useEventFeed } from './live/use-event-feed.ts';
import { appendEvents, emptyLog, type EventLog } from './rows/event-log.ts';

export type AttemptLog = FeedState & { log: EventLog };

/** The log of one attempt: stored events, then live ones. */
export function useAttemptLog(attemptId: string): AttemptLog {
  const [log, setLog] = useState(emptyLog);
  const feed = useEventFeed(attemptId, () => {
    let known = emptyLog();
    const show = (next: EventLog) => setLog((known = next));
    show(known);
    return {
      wants: ({ data }) => data['attemptId'] === attemptId,
      fetchPage: async (after, signal) =>
        (await fetchAttemptEvents(attemptId, after, signal)).events,
      draw: (events) => show(appendEvents(known, events)),
      clear: () => show(emptyLog()),
    };
  });
  return { log, ...feed };
}
