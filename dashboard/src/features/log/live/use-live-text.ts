import { useEffect, useState } from 'preact/hooks';
import { eventStream } from '../../../api/event-stream.ts';
import { takeTurns } from '../../../api/pages/take-turns.ts';
import { coalesce } from './coalesce.ts';
import {
  addPieces,
  type LiveItem,
  type LivePiece,
  noLiveText,
  readPiece,
  withoutEnded,
} from './live-text.ts';

/** Interval at which pieces are drawn together. */
const DRAW_MS = 100;
const REOPEN_MS = 5_000;
const OPENS_MAX = 60;

/**
 * The text that the agent of a running attempt is writing. The connection is open only during the
 * page's turn, since a browser has few per host. Where the service has no live text, nothing
 * arrives.
 */
export function useLiveText(attemptId: string): ReadonlyMap<string, LiveItem> {
  const [items, setItems] = useState(noLiveText.items);
  useEffect(() => {
    let live = noLiveText;
    const drawn = coalesce<LivePiece>(DRAW_MS, (pieces) => {
      live = addPieces(live, pieces);
      setItems(live.items);
    });
    const close = openWhileSeen(
      `/api/v1/attempts/${encodeURIComponent(attemptId)}/live`,
      (data) => {
        const piece = readPiece(data);
        if (piece !== null) drawn.add([piece]);
      },
    );
    const unsubscribe = eventStream.subscribe((event) => {
      if (event.data['attemptId'] !== attemptId) return;
      live = withoutEnded(live, event);
      setItems(live.items);
    });
    return () => {
      close();
      unsubscribe();
      drawn.stop();
      setItems(noLiveText.items);
    };
  }, [attemptId]);
  return items;
}

/**
 * Listens while the page is visible and among those viewed last; returns a function that stops it.
 */
function openWhileSeen(url: string, onData: (data: string) => void): () => void {
  let source: EventSource | null = null;
  let timer: ReturnType<typeof setTimeout> | null = null;
  let opens = 0;
  const close = () => {
    if (timer !== null) clearTimeout(timer);
    timer = null;
    source?.close();
    source = null;
  };
  const open = () => {
    if (source !== null || opens >= OPENS_MAX) return;
    opens += 1;
    source = new EventSource(url);
    source.onmessage = (message: MessageEvent<unknown>) => onData(String(message.data));
    source.onerror = () => {
      // A response that is no stream means that the service has no live text, so it is not retried.
      const refused = source?.readyState === EventSource.CLOSED;
      close();
      if (!refused) timer = setTimeout(open, REOPEN_MS);
    };
  };
  return takeTurns({ begin: open, end: close });
}
