import type { Refusal } from './refused/ask-refusal.ts';

/** The used part of EventSource, which a test can replace. */
export type EventSourceLike = Pick<
  EventSource,
  'close' | 'readyState' | 'onopen' | 'onmessage' | 'onerror'
>;

export type EventConnectionDeps = {
  open(url: string): EventSourceLike;
  /** `seq` of the last received event; 0 when there is none. */
  position(): number;
  onOpen(): void;
  onData(data: unknown): void;
  /** The connection is lost; `limited`: it was refused because of too many requests. */
  onLost(limited: boolean): void;
  /** Why a connection was refused; null where that is unknown. */
  askRefusal(url: string): Promise<Refusal | null>;
};

const CLOSED = 2;
const REOPEN_MIN_MS = 500;
const REOPEN_MAX_MS = 15_000;

/**
 * A connection to the service's event stream. The browser reconnects by itself; when it gives up
 * (an error response), the stream is reopened at its position, with backoff and not before the
 * response's `Retry-After`. Without a position, the newest event's `seq` becomes it.
 */
export class EventConnection {
  readonly #deps: EventConnectionDeps;
  #source: EventSourceLike | null = null;
  #timer: ReturnType<typeof setTimeout> | null = null;
  #failures = 0;
  #isLimited = false;

  constructor(deps: EventConnectionDeps) {
    this.#deps = deps;
  }

  start(): void {
    if (this.#source !== null) return;
    const position = this.#deps.position();
    const from = position > 0 ? `after=${position}` : 'last=1';
    const url = `/api/v1/events?${from}`;
    const source = this.#deps.open(url);
    this.#source = source;
    source.onopen = () => {
      this.#failures = 0;
      this.#isLimited = false;
      this.#deps.onOpen();
    };
    source.onmessage = (message: MessageEvent<unknown>) => this.#deps.onData(message.data);
    source.onerror = () => this.#failed(source, url);
  }

  stop(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    this.#failures = 0;
    this.#isLimited = false;
    this.#source?.close();
    this.#source = null;
  }

  /** Reconnects at once, even if the next try is due later. */
  restart(): void {
    this.stop();
    this.start();
  }

  #failed(source: EventSourceLike, url: string): void {
    if (this.#source !== source) return;
    // Until the reason is known, the last one is reported.
    this.#deps.onLost(this.#isLimited);
    if (source.readyState !== CLOSED) return;
    source.close();
    this.#source = null;
    const delayMs = Math.min(REOPEN_MIN_MS * 2 ** this.#failures, REOPEN_MAX_MS);
    this.#failures += 1;
    const timer = setTimeout(() => this.start(), delayMs);
    this.#timer = timer;
    void this.#deps.askRefusal(url).then((refusal) => this.#refused(refusal, timer));
  }

  /** Delays the next try where the response asks for it and no other try has begun. */
  #refused(refusal: Refusal | null, timer: ReturnType<typeof setTimeout>): void {
    if (this.#timer !== timer || this.#source !== null) return;
    this.#isLimited = refusal?.status === 429;
    this.#deps.onLost(this.#isLimited);
    if (refusal === null || refusal.waitMs === null) return;
    clearTimeout(timer);
    this.#timer = setTimeout(() => this.start(), Math.max(REOPEN_MIN_MS, refusal.waitMs));
  }
}
