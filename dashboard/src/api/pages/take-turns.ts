import { openChannel, type PageChannel } from './open-channel.ts';

/**
 * Pages that have a turn at once: a browser opens six connections per host for all of its pages.
 */
const PAGES_MAX = 2;
/** The number changes with the format of the messages. */
const CHANNEL = 'switchyard:turns:1';

/** A page became visible and wants a turn, or became hidden. */
type Message = { page: number; wants: boolean };

export type Turn = {
  begin(): void;
  /** Ends the turn; also called when it has not begun. */
  end(): void;
};

/**
 * Gives turns to the visible pages of this browser that were viewed last, at most two; returns a
 * function that stops it. A page gets its turn back when it is viewed again, or when another page
 * is hidden or closes.
 */
export function takeTurns({ begin, end }: Turn): () => void {
  const own = Math.random();
  /** Pages that were viewed after this one. */
  const since = new Set<number>();
  let channel: PageChannel<Message> | null = null;
  const hasTurn = () => since.size < PAGES_MAX;
  const onMessage = ({ page, wants }: Message) => {
    const had = hasTurn();
    if (wants) since.add(page);
    else since.delete(page);
    if (hasTurn() === had) return;
    if (had) end();
    else begin();
  };
  const stop = () => {
    channel?.tell({ page: own, wants: false });
    channel?.close();
    channel = null;
    end();
  };
  const start = () => {
    if (document.visibilityState !== 'visible') return stop();
    since.clear();
    channel ??= openChannel<Message>(CHANNEL, onMessage);
    channel?.tell({ page: own, wants: true });
    begin();
  };
  const controller = new AbortController();
  const { signal } = controller;
  document.addEventListener('visibilitychange', start, { signal });
  window.addEventListener('focus', start, { signal });
  window.addEventListener('pagehide', stop, { signal });
  window.addEventListener('pageshow', start, { signal });
  start();
  return () => {
    controller.abort();
    stop();
  };
}
