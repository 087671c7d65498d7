import type { StreamEvent } from '@switchyard/shared/api/work/attempt';
import type { EventStream } from './event-stream.ts';
import { readAgainAfterMs } from './read-query.ts';

export type FeedStatus = 'loading' | 'live' | 'failed';

export type EventFeedDeps = {
  stream: Pick<EventStream, 'subscribe' | 'onMissed'>;
  /** Whether an event of the stream belongs to this feed. */
  wants(event: StreamEvent): boolean;
  /** One page of stored events after `after`, oldest first; an empty page is the end. */
  fetchPage(after: number, signal: AbortSignal): Promise<StreamEvent[]>;
  /** Receives every event of the feed once, in order of `seq`. */
  onEvents(events: StreamEvent[]): void;
  /**
   * Called when the received events belong to another history, as after a restored backup: all
   * events follow again.
   */
  onOther(): void;
  onStatus(status: FeedStatus, error?: unknown): void;
};

/**
 * Live events that are queued until history is read; beyond this number they are fetched again
 * instead.
 */
const PENDING_MAX = 5_000;
const RETRY_MIN_MS = 1_000;

/**
 * Merges stored events, for example of one attempt, with the live stream. It subscribes before it
 * reads, and reads until it meets the events received live, so that none is missed; `seq` removes
 * duplicates.
 */
export class EventFeed {
  readonly #deps: EventFeedDeps;
  readonly #abort = new AbortController();
  readonly #offs: (() => void)[] = [];
  #pending: StreamEvent[] = [];
  #lastSeq = 0;
  #loading = false;
  #again = false;
  /**
   * Whether all stored events have been read; false after a failure, so that the rest is read
   * later.
   */
  #isComplete = false;
  #retry: ReturnType<typeof setTimeout> | undefined;
  /** Number of consecutive failed reads. */
  #failures = 0;
  #histories = 0;

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
    clearTimeout(this.#retry);
    for (const off of this.#offs) off();
  }

  /** Reads the stored events after the last received one; also the retry after a failure. */
  async load(): Promise<void> {
    this.#again = true;
    if (this.#loading) return;
    this.#loading = true;
    this.#isComplete = false;
    clearTimeout(this.#retry);
    this.#deps.onStatus('loading');
    try {
      while (this.#again && !this.#abort.signal.aborted) {
        this.#again = false;
        await this.#readToEnd();
      }
      this.#emit(this.#pending);
      this.#pending = [];
      this.#isComplete = true;
      this.#failures = 0;
      if (!this.#abort.signal.aborted) this.#deps.onStatus('live');
    } catch (error) {
      if (!this.#abort.signal.aborted) this.#failed(error);
    } finally {
      this.#loading = false;
    }
  }

  /** The stream may be intact, so reading restarts by a timer of its own. */
  #failed(error: unknown): void {
    const pauseMs = Math.max(RETRY_MIN_MS, readAgainAfterMs(this.#failures, error));
    this.#failures += 1;
    this.#retry = setTimeout(() => void this.load(), pauseMs);
    this.#deps.onStatus('failed', error);
  }

  async #readToEnd(): Promise<void> {
    for (;;) {
      const before = this.#lastSeq;
      const history = this.#histories;
      const page = await this.#deps.fetchPage(before, this.#abort.signal);
      if (this.#abort.signal.aborted || history !== this.#histories) return;
      this.#emit(page);
      // Reading ends at the last event, or where the queued live events continue; otherwise a busy
      // attempt would never end.
      const firstLive = this.#pending[0];
      const met = firstLive !== undefined && this.#lastSeq >= firstLive.seq;
      if (this.#lastSeq === before || met) return;
    }
  }

  #onLive(event: StreamEvent): void {
    if (event.type === 'stream.gap') return this.#onGap(event);
    if (!this.#deps.wants(event)) return;
    if (this.#isComplete) return this.#emit([event]);
    this.#pending.push(event);
    if (this.#pending.length <= PENDING_MAX) return;
    this.#pending = [];
    this.#again = true;
  }

  /**
   * Handles a gap: events were deleted, or the position never existed, so that the events read
   * belong to another history.
   */
  #onGap({ seq, data }: StreamEvent): void {
    if (Number(data['after']) > seq) {
      this.#histories += 1;
      this.#pending = [];
      this.#lastSeq = 0;
      this.#deps.onOther();
    }
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
