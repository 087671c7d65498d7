import type { StreamEvent } from '@switchyard/shared/api/work/attempt';
import type { EventStream } from './event-stream.ts';

export type FeedStatus = 'loading' | 'live' | 'failed';

export type EventFeedDeps = {
  stream: Pick<EventStream, 'subscribe' | 'onMissed'>;
  /** Whether an event of the stream belongs to the feed. */
  wants(event: StreamEvent): boolean;
  /** One page of stored events beyond `after`, oldest first; an empty page is the end. */
  fetchPage(after: number, signal: AbortSignal): Promise<StreamEvent[]>;
  /** Receives every event of the feed once, in order of `seq`. */
  onEvents(events: StreamEvent[]): void;
  onStatus(status: FeedStatus, error?: unknown): void;
};

/** While history loads, live events wait; beyond this many they are fetched again instead. */
const PENDING_MAX = 5_000;

/**
 * Joins stored events, as those of an attempt, with the live stream. It listens before it reads, and reads until
 * it meets what was heard, so nothing falls between; `seq` makes what arrives twice count once.
 */
export class EventFeed {
  readonly #deps: EventFeedDeps;
  readonly #abort = new AbortController();
  readonly #offs: (() => void)[] = [];
  #pending: StreamEvent[] = [];
  #lastSeq = 0;
  #loading = false;
  #again = false;

  constructor(deps: EventFeedDeps) {
    this.#deps = deps;
  }

  start(): void {
    const { stream } = this.#deps;
    this.#offs.push(stream.subscribe((event) => this.#onLive(event)));
    this.#offs.push(stream.onMissed(() => void this.load()));
    void this.load();
  }

  stop(): void {
    this.#abort.abort();
    for (const off of this.#offs) off();
  }

  /** Reads what is stored beyond what is known; also the retry after a failure. */
  async load(): Promise<void> {
    this.#again = true;
    if (this.#loading) return;
    this.#loading = true;
    this.#deps.onStatus('loading');
    try {
      while (this.#again && !this.#abort.signal.aborted) {
        this.#again = false;
        await this.#readToEnd();
      }
      this.#emit(this.#pending);
      this.#pending = [];
      if (!this.#abort.signal.aborted) this.#deps.onStatus('live');
    } catch (error) {
      if (!this.#abort.signal.aborted) this.#deps.onStatus('failed', error);
    } finally {
      this.#loading = false;
    }
  }

  async #readToEnd(): Promise<void> {
    for (;;) {
      const before = this.#lastSeq;
      const page = await this.#deps.fetchPage(before, this.#abort.signal);
      if (this.#abort.signal.aborted) return;
      this.#emit(page);
      // Done at the end, or where the live events that wait take over (else a busy attempt never ends).
      const firstLive = this.#pending[0];
      const met = firstLive !== undefined && this.#lastSeq >= firstLive.seq;
      if (this.#lastSeq === before || met) return;
    }
  }

  #onLive(event: StreamEvent): void {
    if (event.type === 'stream.gap') return this.#onGap(event.seq);
    if (!this.#deps.wants(event)) return;
    if (!this.#loading) return this.#emit([event]);
    this.#pending.push(event);
    if (this.#pending.length <= PENDING_MAX) return;
    this.#pending = [];
    this.#again = true;
  }

  /** Events are gone, or a backup was restored and the history is another one from `seq` on. */
  #onGap(seq: number): void {
    this.#pending = [];
    this.#lastSeq = Math.min(this.#lastSeq, seq);
    void this.load();
  }

  #emit(events: StreamEvent[]): void {
    const fresh = events.filter((event) => event.seq > this.#lastSeq);
    const last = fresh.at(-1);
    if (last === undefined) return;
    this.#lastSeq = last.seq;
    this.#deps.onEvents(fresh);
  }
}
