import type { StreamEvent } from '@switchyard/shared/api/work/attempt';
import { until } from './until.ts';

export type ReadFrame = { id: number; event: StreamEvent };

/** A small reader of `/api/v1/events`: collects frames until it is closed. */
export class EventReader {
  readonly frames: ReadFrame[] = [];
  /** Lines that a frame of this stream must not have. */
  readonly strangeLines: string[] = [];
  readonly #controller = new AbortController();
  #ended: Promise<void> = Promise.resolve();

  /** Resolves once the stream answers; throws unless it answers 200 with an event stream. */
  static async open(
    url: string,
    from: { query?: string; lastEventId?: number },
  ): Promise<EventReader> {
    const reader = new EventReader();
    const headers: Record<string, string> = { accept: 'text/event-stream' };
    if (from.lastEventId !== undefined) headers['last-event-id'] = String(from.lastEventId);
    const address = `${url}/api/v1/events${from.query ?? ''}`;
    const response = await fetch(address, { headers, signal: reader.#controller.signal });
    const type = response.headers.get('content-type') ?? '';
    if (response.status !== 200 || !type.includes('text/event-stream') || response.body === null) {
      reader.#controller.abort();
      throw new Error(`no event stream: ${response.status} ${type}`);
    }
    reader.#ended = reader.#collect(response.body);
    return reader;
  }

  get seqs(): number[] {
    return this.frames.map(({ event }) => event.seq);
  }

  /** Waits for the first frame that fits. */
  async waitFor(fits: (event: StreamEvent) => boolean, timeoutMs = 30_000): Promise<StreamEvent> {
    const what = 'an event that fits';
    const look = () => this.frames.find(({ event }) => fits(event)) ?? null;
    const found = await until(look, (frame) => frame !== null, { what, timeoutMs });
    if (found === null) throw new Error(what);
    return found.event;
  }

  /** Resolves when the stream is over, whoever ended it. */
  ended(): Promise<void> {
    return this.#ended;
  }

  /** Cuts the connection, as a lost network would. */
  async close(): Promise<void> {
    this.#controller.abort();
    await this.#ended;
  }

  async #collect(body: ReadableStream<Uint8Array>): Promise<void> {
    const decoder = new TextDecoder();
    let rest = '';
    try {
      for await (const bytes of body) {
        rest += decoder.decode(bytes, { stream: true });
        const blocks = rest.split('\n\n');
        rest = blocks.pop() ?? '';
        for (const block of blocks) this.#take(block);
      }
    } catch {
      // Cut by this side or by the service: whoever waits for a frame sees that none comes.
      this.#controller.abort();
    }
  }

  #take(block: string): void {
    let id = Number.NaN;
    let data = '';
    for (const line of block.split('\n')) {
      if (line.startsWith('id: ')) id = Number(line.slice(4));
      else if (line.startsWith('data: ')) data += line.slice(6);
      else if (!line.startsWith(':')) this.strangeLines.push(line);
    }
    if (data !== '') this.frames.push({ id, event: JSON.parse(data) as StreamEvent });
  }
}
