import { openChannel, type PageChannel } from './open-channel.ts';

/** A browser opens six connections to a host, for all of its pages together. */
const PAGES_MAX = 2;
/** Says which page has begun. Another number when what is said changes. */
const CHANNEL = 'switchyard:turns:1';

export type Turn = {
  begin(): void;
  /** Also where it has not begun. */
  end(): void;
};

/**
 * Gives the turn to the pages of this browser that were looked at last, at most two, while they are in
 * view; returns what ends it. A page that is looked at again has it again.
 */
export function takeTurns({ begin, end }: Turn): () => void {
  const own = Math.random();
  const since = new Set<number>();
  let channel: PageChannel<number> | null = null;
  const stop = () => {
    channel?.close();
    channel = null;
    end();
  };
  const start = () => {
    if (document.visibilityState !== 'visible') return stop();
    since.clear();
    channel ??= openChannel<number>(CHANNEL, (other) => {
      since.add(other);
      if (since.size >= PAGES_MAX) end();
    });
    channel?.tell(own);
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
