import type { StreamEvent } from '@switchyard/shared/api/work/attempt';

export type StreamStatus = 'connecting' | 'live' | 'reconnecting';
type Listener = (event: StreamEvent) => void;

/** The part of EventSource that is used, so that a test can stand in for it. */
export type EventSourceLike = Pick<
  EventSource,
  'close' | 'readyState' | 'onopen' | 'onmessage' | 'onerror'
>;

const CLOSED = 2;
const REOPEN_MIN_MS = 500;
const REOPEN_MAX_MS = 15_000;

/**
 * The one connection to the service's event stream. The browser itself reconnects with
 * `Last-Event-ID`; when it gives up (an error answer), the stream is opened again after the last
 * `seq` seen, with backoff. An event is handed out once, in order of `seq`.
 */
export class EventStream {
  readonly #open: (url: string) => EventSourceLike;
  readonly #listeners = new Set<Listener>();
  readonly #statusListeners = new Set<() => void>();
  readonly #reconnectListeners = new Set<() => void>();
  #source: EventSourceLike | null = null;
  #timer: ReturnType<typeof setTimeout> | null = null;
  #status: StreamStatus = 'connecting';
  #lastSeq = 0;
  #failures = 0;
  #wasLive = false;

  constructor(open: (url: string) => EventSourceLike = (url) => new EventSource(url)) {
    this.#open = open;
  }

  get status(): StreamStatus {
    return this.#status;
  }

  start(): void {
    if (this.#source !== null) return;
    const after = this.#lastSeq > 0 ? `?after=${this.#lastSeq}` : '';
    const source = this.#open(`/api/v1/events${after}`);
    this.#source = source;
    source.onopen = () => this.#opened();
    source.onmessage = (message: MessageEvent<unknown>) => this.#received(message.data);
    source.onerror = () => this.#failed(source);
  }

  stop(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    this.#source?.close();
    this.#source = null;
  }

  /** Returns the function that ends the subscription; so do the two below. */
  subscribe(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  onStatus = (listener: () => void): (() => void) => {
    this.#statusListeners.add(listener);
    return () => this.#statusListeners.delete(listener);
  };

  /** Called when the stream is back after an interruption: what is on screen may be stale. */
  onReconnect(listener: () => void): () => void {
    this.#reconnectListeners.add(listener);
    return () => this.#reconnectListeners.delete(listener);
  }

  #opened(): void {
    this.#failures = 0;
    this.#setStatus('live');
    if (this.#wasLive) for (const listener of this.#reconnectListeners) listener();
    this.#wasLive = true;
  }

  #received(data: unknown): void {
    const event = parseEvent(data);
    if (event === null) return;
    if (event.type !== 'stream.gap') {
      if (event.seq <= this.#lastSeq) return;
      this.#lastSeq = event.seq;
    }
    for (const listener of this.#listeners) listener(event);
  }

  #failed(source: EventSourceLike): void {
    this.#setStatus('reconnecting');
    if (source.readyState !== CLOSED || this.#source !== source) return;
    source.close();
    this.#source = null;
    const delayMs = Math.min(REOPEN_MIN_MS * 2 ** this.#failures, REOPEN_MAX_MS);
    this.#failures += 1;
    this.#timer = setTimeout(() => this.start(), delayMs);
  }

  #setStatus(status: StreamStatus): void {
    if (this.#status === status) return;
    this.#status = status;
    for (const listener of this.#statusListeners) listener();
  }
}

function parseEvent(data: unknown): StreamEvent | null {
  if (typeof data !== 'string') return null;
  try {
    const event: unknown = JSON.parse(data);
    return isStreamEvent(event) ? event : null;
  } catch {
    return null;
  }
}

function isStreamEvent(value: unknown): value is StreamEvent {
  if (typeof value !== 'object' || value === null) return false;
  const event = value as Partial<StreamEvent>;
  return (
    typeof event.seq === 'number' &&
    typeof event.type === 'string' &&
    typeof event.data === 'object' &&
    event.data !== null
  );
}

/** Shared by the whole page. */
export const eventStream = new EventStream();
