import type { StreamEvent } from '@switchyard/shared/api/work/attempt';
import { EventConnection, type EventSourceLike } from './event-connection.ts';
import { askRefusal, type Refusal } from './refused/ask-refusal.ts';
import { openChannel } from './pages/open-channel.ts';
import { PageGroup, type PageGroupPorts } from './pages/page-group.ts';
import { pageLife } from './pages/page-life.ts';

/**
 * `limited`: the service, or a proxy before it, refuses the connection because of too many
 * requests.
 */
export type StreamStatus = 'connecting' | 'live' | 'reconnecting' | 'limited';
type Listener = (event: StreamEvent) => void;

/** State of the stream: `seq` is that of the last event, 0 when there is none. */
type State = { status: StreamStatus; seq: number };

type News =
  /** A new event as the service sent it; `after` is the `seq` of the previous one. */
  | { kind: 'event'; after: number; data: string }
  /** Somebody has signed in or out in this browser. */
  | { kind: 'session' };

/**
 * The number changes with the format of the messages between pages: pages of two versions have
 * separate streams.
 */
const NAME = 'switchyard:events:2';

export type EventStreamPorts = PageGroupPorts & {
  openSource(url: string): EventSourceLike;
  askRefusal(url: string): Promise<Refusal | null>;
};

const BROWSER: EventStreamPorts = {
  openSource: (url) => new EventSource(url),
  askRefusal,
  openChannel,
  page: pageLife,
};

/**
 * The event stream of the service, shared by all pages of this browser over one connection:
 * browsers open only six per host. The page with the connection forwards events to the others; a
 * page that replaces it continues after the last event. Each event is delivered once, in order of
 * `seq`; a page that may have missed some reports that.
 */
export class EventStream {
  readonly #pages: PageGroup<State, News>;
  readonly #connection: EventConnection;
  readonly #listeners = new Set<Listener>();
  readonly #statusListeners = new Set<() => void>();
  readonly #missedListeners = new Set<() => void>();
  readonly #sessionListeners = new Set<() => void>();
  #lastSeq = 0;
  #status: StreamStatus = 'connecting';

  constructor({ openSource, askRefusal: ask, ...ports }: EventStreamPorts = BROWSER) {
    this.#connection = new EventConnection({
      open: openSource,
      position: () => this.#lastSeq,
      onOpen: () => this.#moved('live'),
      onLost: (limited) => this.#moved(limited ? 'limited' : 'reconnecting'),
      askRefusal: ask,
      onData: (data) => this.#take(data, this.#lastSeq),
    });
    const resource = {
      state: () => ({ status: this.#status, seq: this.#lastSeq }),
      onHold: () => this.#hold(),
      onLetGo: () => this.#connection.stop(),
      onState: (state: State) => this.#follow(state),
      onNews: (news: News) => this.#heard(news),
    };
    this.#pages = new PageGroup(NAME, resource, ports);
  }

  get status(): StreamStatus {
    return this.#status;
  }

  start(): void {
    this.#pages.start();
  }

  stop(): void {
    this.#pages.stop();
  }

  /**
   * Subscribes to events. Returns the function that unsubscribes, as do the three methods below.
   */
  subscribe(listener: Listener): () => void {
    return listen(this.#listeners, listener);
  }

  onStatus = (listener: () => void): (() => void) => listen(this.#statusListeners, listener);

  /** Called when events may have been missed, as after an interruption: the screen may be stale. */
  onMissed(listener: () => void): () => void {
    return listen(this.#missedListeners, listener);
  }

  /** Called when another page has signed this browser in or out. */
  onSession(listener: () => void): () => void {
    return listen(this.#sessionListeners, listener);
  }

  /** This page signed the browser in or out: every page reloads its data as the new caller. */
  changeSession(): void {
    this.#pages.tell({ kind: 'session' });
    this.#startAgain();
  }

  #hold(): void {
    // The page is being viewed or has just taken over, so it does not wait for the next try.
    if (this.#status === 'reconnecting') this.#connection.restart();
    else this.#connection.start();
  }

  #startAgain(): void {
    if (this.#pages.isHolding) this.#connection.restart();
    this.#reportMissed();
  }

  /** Handles a new status of the connection that this page holds. */
  #moved(status: StreamStatus): void {
    this.#setStatus(status);
    this.#pages.announce();
  }

  #follow({ status, seq }: State): void {
    // True also without a position: subscribers have already read their data before this point.
    const hasMissed = seq > this.#lastSeq;
    this.#lastSeq = Math.max(this.#lastSeq, seq);
    this.#setStatus(status);
    if (hasMissed) this.#reportMissed();
  }

  #heard(news: News): void {
    if (news.kind === 'event') return this.#take(news.data, news.after);
    for (const listener of this.#sessionListeners) listener();
    this.#startAgain();
  }

  /** `after`: `seq` of the previous event on the connection. */
  #take(data: unknown, after: number): void {
    const event = parseEvent(data);
    if (event === null) return;
    const isGap = event.type === 'stream.gap';
    if (!isGap && event.seq <= this.#lastSeq) return;
    if (this.#pages.isHolding) {
      // For the first event of a stream without a position: a page that lacks it has missed more.
      const before = after > 0 ? after : event.seq;
      this.#pages.tell({ kind: 'event', after: before, data: String(data) });
    }
    // Without a position it is unknown what happened between the page's first reads and now.
    const hasMissed = !isGap && (this.#lastSeq === 0 || after > this.#lastSeq);
    this.#lastSeq = event.seq;
    for (const listener of this.#listeners) listener(event);
    if (hasMissed) this.#reportMissed();
  }

  #reportMissed(): void {
    for (const listener of this.#missedListeners) listener();
  }

  #setStatus(status: StreamStatus): void {
    const before = this.#status;
    if (before === status) return;
    this.#status = status;
    for (const listener of this.#statusListeners) listener();
    if (status === 'live' && before !== 'connecting') this.#reportMissed();
  }
}

function listen<Of>(listeners: Set<Of>, listener: Of): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
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

/** The instance of this page. */
export const eventStream = new EventStream();
