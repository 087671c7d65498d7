/** The part of EventSource that is used, so that a test can stand in for it. */
export type EventSourceLike = Pick<
  EventSource,
  'close' | 'readyState' | 'onopen' | 'onmessage' | 'onerror'
>;

export type EventConnectionDeps = {
  open(url: string): EventSourceLike;
  /** seq of the last event known; 0 when none is. */
  position(): number;
  onOpen(): void;
  onData(data: unknown): void;
  onLost(): void;
};

const CLOSED = 2;
const REOPEN_MIN_MS = 500;
const REOPEN_MAX_MS = 15_000;

/**
 * A connection to the service's event stream. The browser itself reconnects with `Last-Event-ID`; when
 * it gives up (an error answer), the stream is opened again at its position, with backoff. Without a
 * position it begins with the newest event, which says where the stream stands.
 */
export class EventConnection {
  readonly #deps: EventConnectionDeps;
  #source: EventSourceLike | null = null;
  #timer: ReturnType<typeof setTimeout> | null = null;
  #failures = 0;

  constructor(deps: EventConnectionDeps) {
    this.#deps = deps;
  }

  start(): void {
    if (this.#source !== null) return;
    const position = this.#deps.position();
    const from = position > 0 ? `after=${position}` : 'last=1';
    const source = this.#deps.open(`/api/v1/events?${from}`);
    this.#source = source;
    source.onopen = () => {
      this.#failures = 0;
      this.#deps.onOpen();
    };
    source.onmessage = (message: MessageEvent<unknown>) => this.#deps.onData(message.data);
    source.onerror = () => this.#failed(source);
  }

  stop(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    this.#failures = 0;
    this.#source?.close();
    this.#source = null;
  }

  /** Opens anew at once, also where the next try would be later. */
  restart(): void {
    this.stop();
    this.start();
  }

  #failed(source: EventSourceLike): void {
    if (this.#source !== source) return;
    this.#deps.onLost();
    if (source.readyState !== CLOSED) return;
    source.close();
    this.#source = null;
    const delayMs = Math.min(REOPEN_MIN_MS * 2 ** this.#failures, REOPEN_MAX_MS);
    this.#failures += 1;
    this.#timer = setTimeout(() => this.start(), delayMs);
  }
}
