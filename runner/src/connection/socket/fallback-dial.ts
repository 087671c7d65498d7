import { messageOf } from '@switchyard/shared/message-of';
import type { Channel, Dial } from './channel.ts';
import type { Clock } from '../clock.ts';
import type { Log } from '../../log.ts';
import { ConnectionRefused } from './websocket.ts';

/** Between tries for a socket while requests do; doubles up to the second. */
const FIRST_TRY_MS = 2_000;
const MAX_TRY_MS = 60_000;

/** The control plane's own refusals, which requests would meet as well. */
const FINAL_STATUSES: ReadonlySet<number> = new Set([401, 403, 404]);

export type FallbackDeps = { socket: Dial; sync: Dial; clock: Clock; log: Log };

/**
 * Dials a socket, and speaks by requests where something between the two hosts lets none through.
 * Meanwhile it goes on to try; once a socket can be had the channel ends, and the next is a socket.
 */
export function fallbackDial({ socket, sync, clock, log }: FallbackDeps): Dial {
  return async (events, signal) => {
    let refused: unknown;
    try {
      return await socket(events, signal);
    } catch (error) {
      if (error instanceof ConnectionRefused && FINAL_STATUSES.has(error.status)) throw error;
      refused = error;
    }
    const over = new AbortController();
    const either = AbortSignal.any([signal, over.signal]);
    const closed = (code: number, reason: string) => {
      over.abort();
      events.closed(code, reason);
    };
    let channel: Channel;
    try {
      channel = await sync({ text: (data) => events.text(data), closed }, either);
    } catch {
      // Requests are not served either: the socket's words say best what is wrong.
      throw refused;
    }
    log.warn('no socket can be had; going on by requests', { why: messageOf(refused) });
    const untilSocket = (waitMs: number) => {
      const cancel = clock.after(waitMs, () => void tryAgain(waitMs));
      either.addEventListener('abort', cancel, { once: true });
    };
    const tryAgain = async (waitedMs: number) => {
      const works = await opens(socket, either);
      if (either.aborted) return;
      if (works) closed(1012, 'a socket can be had again');
      else untilSocket(Math.min(MAX_TRY_MS, waitedMs * 2));
    };
    untilSocket(FIRST_TRY_MS);
    return {
      send: (text) => channel.send(text),
      close(code, reason) {
        over.abort();
        channel.close(code, reason);
      },
      bufferedBytes: () => channel.bufferedBytes(),
    };
  };
}

/** Opens a socket and closes it: it says nothing, so it begins no session. */
async function opens(socket: Dial, signal: AbortSignal): Promise<boolean> {
  try {
    const channel = await socket({ text: () => undefined, closed: () => undefined }, signal);
    channel.close(1000, 'only a try');
    return true;
  } catch {
    // The next try is under way already.
    return false;
  }
}
