import { messageOf } from '@switchyard/shared/message-of';
import type { Channel, Dial } from './channel.ts';
import type { Clock } from '../clock.ts';
import type { Log } from '../../log.ts';
import { ConnectionRefused } from './websocket.ts';

/** Delay before the next try for a socket while polling; doubles up to the second value. */
const FIRST_TRY_MS = 2_000;
const MAX_TRY_MS = 60_000;

/** Refusals of the control plane that would apply to requests as well. */
const FINAL_STATUSES: ReadonlySet<number> = new Set([401, 403, 404]);

export type FallbackDeps = { socket: Dial; sync: Dial; clock: Clock; log: Log };

/**
 * Opens a socket, or polls by requests where something in between blocks sockets. It then retries
 * in the background; once a socket works the channel ends, and the next one is a socket.
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
      // Requests fail too; the socket's error explains it best.
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

/** Tests a socket by opening and closing it; without a message no session begins. */
async function opens(socket: Dial, signal: AbortSignal): Promise<boolean> {
  try {
    const channel = await socket({ text: () => undefined, closed: () => undefined }, signal);
    channel.close(1000, 'only a try');
    return true;
  } catch {
    // The caller schedules the next try.
    return false;
  }
}
