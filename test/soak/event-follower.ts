import { messageOf } from '@switchyard/shared/message-of';
import { Agent, request as httpRequest, type IncomingMessage } from 'node:http';
import { z } from 'zod';
import type { Tally } from './soak-client.ts';
import { wait } from './wait.ts';

const Frame = z.looseObject({
  seq: z.number().int(),
  type: z.string(),
  data: z.looseObject({ identifier: z.string().optional() }),
});
/** A connection is cut after so long, so that every run has some reconnects. */
const CONNECTION_MS = 15_000;
const RETRY_MS = 500;
/** The stream says something at least every 15 s; this long without a byte is a broken one. */
const SILENCE_MS = 45_000;

/** Follows the events from the first one on, and notes every gap and every repeat. */
export class EventFollower {
  lastSeq = 0;
  reconnects = 0;
  readonly #seen = new Set<string>();
  readonly #agent = new Agent({ keepAlive: false });
  readonly #url: string;
  readonly #address: string;
  readonly #tally: Tally;

  constructor(url: string, address: string, tally: Tally) {
    this.#url = url;
    this.#address = address;
    this.#tally = tally;
  }

  /** Follows until the signal, over as many connections as it takes. */
  async follow(signal: AbortSignal): Promise<void> {
    for (; !signal.aborted; this.reconnects += 1) {
      try {
        await this.#connection(signal);
      } catch (error) {
        if (signal.aborted) return;
        this.#tally.problem(`events: ${messageOf(error)}`);
        await wait(RETRY_MS, signal);
      }
    }
  }

  /** Whether an event about this issue has come. */
  saw(identifier: string): boolean {
    return this.#seen.has(identifier);
  }

  /** One connection, from the last seen seq on, until it is cut by either side. */
  #connection(signal: AbortSignal): Promise<void> {
    const first = this.lastSeq === 0;
    const path = `/api/v1/events${first ? '?after=0' : ''}`;
    return new Promise((resolve, reject) => {
      const call = httpRequest(`${this.#url}${path}`, {
        headers: first ? {} : { 'Last-Event-ID': String(this.lastSeq) },
        agent: this.#agent,
        localAddress: this.#address,
        timeout: SILENCE_MS,
        signal,
      });
      const cut = setTimeout(() => call.destroy(), CONNECTION_MS);
      call.once('timeout', () => call.destroy(new Error(`silent for ${SILENCE_MS} ms`)));
      call.once('error', reject);
      call.once('close', () => {
        clearTimeout(cut);
        resolve();
      });
      call.once('response', (response) => this.#read(response, reject));
      call.end();
    });
  }

  #read(response: IncomingMessage, fail: (error: Error) => void): void {
    this.#tally.count(response.statusCode ?? 0);
    if (response.statusCode !== 200) {
      response.resume();
      return fail(new Error(`the stream answered ${response.statusCode}`));
    }
    let rest = '';
    response.setEncoding('utf8');
    response.on('data', (text: string) => {
      const blocks = (rest + text).split('\n\n');
      rest = blocks.pop() ?? '';
      for (const block of blocks) this.#take(block);
    });
    // Cut: what was not whole comes again on the next connection.
    response.once('error', () => response.destroy());
  }

  #take(block: string): void {
    const lines = block.split('\n');
    const data = lines.find((line) => line.startsWith('data: '))?.slice(6);
    if (data === undefined) return;
    const { seq, type, data: about } = Frame.parse(JSON.parse(data));
    const id = Number(lines.find((line) => line.startsWith('id: '))?.slice(4));
    if (id !== seq) this.#tally.problem(`events: the id ${id} on the event ${seq}`);
    if (type === 'stream.gap') this.#tally.problem(`events: a gap before ${seq} was announced`);
    if (seq !== this.lastSeq + 1) {
      this.#tally.problem(`events: ${seq} came after ${this.lastSeq}`);
    }
    this.lastSeq = seq;
    if (about.identifier !== undefined) this.#seen.add(about.identifier);
  }
}
