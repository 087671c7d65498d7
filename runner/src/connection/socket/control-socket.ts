import { PING_MS, SOCKET_DEAD_MS } from '@switchyard/shared/protocol/limits';
import { messageOf } from '@switchyard/shared/message-of';
import type { Channel, Dial } from './channel.ts';
import { type Clock, sleep } from '../clock.ts';
import type { Log } from '../../log.ts';

const RECONNECT_BASE_MS = 500;
export const RECONNECT_CAP_MS = 30_000;

/**
 * A socket whose pings are answered but whose `hello` gets no welcome within this time is closed. A
 * slow welcome is normal.
 */
const WELCOME_WITHIN_MS = 60_000;
/** Number of failures after which the window has its maximum. */
const PATIENT_FAILURES = 10;

export type SocketOwner = {
  opened(channel: Channel, socket: ControlSocket): void;
  text(data: string): void;
  /** Called once for each opened socket, whatever closed it. */
  closed(): void;
};

export type SocketDeps = {
  dial: Dial;
  clock: Clock;
  random: () => number;
  log: Log;
  owner: SocketOwner;
};

/**
 * Keeps one socket to the control plane open for ever. Liveness is the text frame `ping` answered
 * by `pong`: close events are not relied on, and an open socket implies no lease.
 */
export class ControlSocket {
  readonly #deps: SocketDeps;
  #failures = 0;
  #endCurrent: ((reason: string) => void) | null = null;
  #pingMs = PING_MS;

  constructor(deps: SocketDeps) {
    this.#deps = deps;
  }

  /** Reconnects until the signal aborts; resolves then with the socket closed. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, random, log } = this.#deps;
    let first = true;
    while (!signal.aborted) {
      const wait = first ? { beforeMs: 0, afterMs: 0 } : splitBackoff(this.#failures, random);
      first = false;
      await sleep(clock, wait.beforeMs, signal);
      if (signal.aborted) return;
      const startedMs = clock.monotonicMs();
      this.#failures += 1;
      const why = await this.#connectOnce(signal).catch(messageOf);
      if (signal.aborted) return;
      log.warn('not connected', { why, failures: this.#failures });
      const rest = wait.afterMs - (clock.monotonicMs() - startedMs);
      if (this.#failures > 0 && rest > 0) await sleep(clock, rest, signal);
    }
  }

  /** After a welcome the next failure starts with the shortest window. */
  healthy(pingMs: number): void {
    this.#failures = 0;
    this.#pingMs = Math.min(Math.max(pingMs, 1_000), SOCKET_DEAD_MS / 2);
  }

  /** Closes the present socket; `run` opens the next one, after the longest window if `patient`. */
  reconnect(reason: string, options?: { patient: boolean }): void {
    if (options?.patient === true) this.#failures = PATIENT_FAILURES;
    this.#endCurrent?.(reason);
  }

  /** Closes the present socket at a random moment within `withinMs`. */
  reconnectWithin(withinMs: number, reason: string): void {
    const { clock, random } = this.#deps;
    const end = this.#endCurrent;
    clock.after(Math.floor(random() * withinMs), () => end?.(reason));
  }

  async #connectOnce(signal: AbortSignal): Promise<string> {
    const { dial, clock, owner } = this.#deps;
    let end: (why: string) => void = () => undefined;
    const ended = new Promise<string>((resolve) => {
      end = resolve;
    });
    let lastSeenMs = clock.monotonicMs();
    let givenUp = false;
    const channel = await dial(
      {
        text: (data) => {
          if (givenUp) return;
          lastSeenMs = clock.monotonicMs();
          if (data !== 'pong') owner.text(data);
        },
        closed: (code, reason) => end(`closed with ${code}${reason === '' ? '' : ` ${reason}`}`),
      },
      signal,
    );
    this.#endCurrent = end;
    const onAbort = () => end('stopping');
    signal.addEventListener('abort', onAbort, { once: true });
    const stopPings = this.#watch(channel, () => lastSeenMs, end);
    owner.opened(channel, this);
    const why = await ended;
    givenUp = true;
    stopPings();
    signal.removeEventListener('abort', onAbort);
    this.#endCurrent = null;
    channel.close(1000, why);
    owner.closed();
    return why;
  }

  #watch(channel: Channel, lastSeenMs: () => number, end: (why: string) => void): () => void {
    const { clock } = this.#deps;
    let cancel: () => void = () => undefined;
    const openedMs = clock.monotonicMs();
    const beat = () => {
      if (this.#failures > 0 && clock.monotonicMs() - openedMs >= WELCOME_WITHIN_MS) {
        end(`no welcome within ${WELCOME_WITHIN_MS / 1_000} s`);
        return;
      }
      if (clock.monotonicMs() - lastSeenMs() >= SOCKET_DEAD_MS) {
        end(`no sign of life for ${SOCKET_DEAD_MS / 1_000} s`);
        return;
      }
      channel.send('ping');
      cancel = clock.after(this.#pingMs, beat);
    };
    cancel = clock.after(this.#pingMs, beat);
    return () => cancel();
  }
}

/** Size of the window in which try `failures` (from 0) happens: 0.5 s, 1 s, 2 s … 30 s. */
function windowMs(failures: number): number {
  return Math.min(RECONNECT_CAP_MS, RECONNECT_BASE_MS * 2 ** Math.min(failures, 20));
}

/**
 * Full jitter: the try is at a random time in its window, and the rest of the window is waited
 * afterwards, so that each runner tries once per window, spread evenly.
 */
function splitBackoff(
  failures: number,
  random: () => number,
): { beforeMs: number; afterMs: number } {
  const size = windowMs(failures);
  const beforeMs = Math.floor(random() * size);
  return { beforeMs, afterMs: size - beforeMs };
}
