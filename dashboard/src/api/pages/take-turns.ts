import { openChannel, type PageChannel } from './open-channel.ts';

/** A browser opens six connections to a host, for all of its pages together. */
const PAGES_MAX = 2;
/** Another number when what is said on it changes. */
const CHANNEL = 'switchyard:turns:1';

/** Which page is in view, or no longer, and wants its turn. */
type Message = { page: number; wants: boolean };

export type Turn = {
  begin(): void;
  /** Also where it has not begun. */
  end(): void;
};

/**
 * Gives the turn to the pages of this browser that were looked at last, at most two, while they are in
 * view; returns what ends it. A page has it again when it is looked at again, or when another goes.
 */
export function takeTurns({ begin, end }: Turn): () => void {
  const own = Math.random();
  /** Pages that were looked at since. */
  const since = new Set<number>();
  let channel: PageChannel<Message> | null = null;
  const hasTurn = () => since.size < PAGES_MAX;
  const heard = ({ page, wants }: Message) => {
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
    channel ??= openChannel<Message>(CHANNEL, heard);
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
