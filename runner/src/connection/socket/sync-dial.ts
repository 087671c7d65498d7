import { SYNC_WAIT_MS } from '@switchyard/shared/protocol/limits';
import { cutText } from '@switchyard/shared/text/cut-text';
import { messageOf } from '@switchyard/shared/message-of';
import { z } from 'zod';
import type { Transport } from '../proxy/transport.ts';
import type { Channel, ChannelEvents, Dial } from './channel.ts';
import { ConnectionRefused, withSlash } from './websocket.ts';

/** In addition to the requested wait: time for the control plane's work and the network. */
const ANSWER_TIMEOUT_MS = SYNC_WAIT_MS + 10_000;

const Answer = z.object({ messages: z.array(z.unknown()) });
const Welcome = z.object({ type: z.literal('welcome'), session: z.int() });

/**
 * Polls where no socket is possible: one request at a time sends this side's messages, another
 * waits for those of the control plane. Any failure ends the channel, like the end of a socket.
 */
export function syncDial(
  controlPlaneUrl: string,
  accessToken: () => Promise<string>,
  transport: Pick<Transport, 'fetch'>,
): Dial {
  const url = new URL('api/v1/runners/sync', withSlash(controlPlaneUrl));
  const exchange = async (body: object, signal: AbortSignal): Promise<unknown[]> => {
    const response = await transport.fetch(url, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${await accessToken()}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify(body),
      signal: AbortSignal.any([signal, AbortSignal.timeout(ANSWER_TIMEOUT_MS)]),
    });
    const text = await response.text();
    if (!response.ok) throw new ConnectionRefused(response.status, cutText(text, 300));
    return Answer.parse(JSON.parse(text)).messages;
  };
  return async (events, signal) => {
    // Tests whether requests are served; without a message no session begins.
    await exchange({ messages: [] }, signal);
    return new SyncChannel(exchange, events, signal);
  };
}

type Exchange = (body: object, signal: AbortSignal) => Promise<unknown[]>;

class SyncChannel implements Channel {
  readonly #exchange: Exchange;
  readonly #events: ChannelEvents;
  readonly #ended = new AbortController();
  readonly #signal: AbortSignal;
  readonly #frames: string[] = [];
  #session: number | null = null;
  #sending = false;
  #bytes = 0;

  constructor(exchange: Exchange, events: ChannelEvents, signal: AbortSignal) {
    this.#exchange = exchange;
    this.#events = events;
    this.#signal = AbortSignal.any([signal, this.#ended.signal]);
  }

  send(text: string): void {
    if (this.#signal.aborted) return;
    // A failed request ends the channel, so an open channel proves that the control plane is alive.
    if (text === 'ping') return queueMicrotask(() => this.#events.text('pong'));
    this.#frames.push(text);
    this.#bytes += Buffer.byteLength(text);
    if (!this.#sending) void this.#sendAll();
  }

  close(): void {
    this.#ended.abort();
  }

  bufferedBytes(): number {
    return this.#bytes;
  }

  async #sendAll(): Promise<void> {
    this.#sending = true;
    for (let frame = this.#frames.shift(); frame !== undefined; frame = this.#frames.shift()) {
      const messages = JSON.parse(frame) as unknown[];
      if (!(await this.#ask({ messages }))) break;
      this.#bytes -= Buffer.byteLength(frame);
    }
    this.#sending = false;
  }

  /** Waits for messages of the control plane in a loop. */
  async #listen(): Promise<void> {
    while (await this.#ask({ messages: [], waitMs: SYNC_WAIT_MS }));
  }

  /** Sends a request; false once the channel has ended. */
  async #ask(body: { messages: unknown[]; waitMs?: number }): Promise<boolean> {
    try {
      const session = this.#session === null ? {} : { session: this.#session };
      const messages = await this.#exchange({ ...session, ...body }, this.#signal);
      if (this.#signal.aborted) return false;
      this.#noteSession(messages);
      if (messages.length > 0) this.#events.text(JSON.stringify(messages));
      return !this.#signal.aborted;
    } catch (error) {
      if (!this.#signal.aborted) {
        this.#ended.abort();
        this.#events.closed(1006, messageOf(error));
      }
      return false;
    }
  }

  #noteSession(messages: readonly unknown[]): void {
    for (const message of messages) {
      const welcome = Welcome.safeParse(message);
      if (!welcome.success) continue;
      const first = this.#session === null;
      this.#session = welcome.data.session;
      if (first) void this.#listen();
    }
  }
}
