import type { StreamEvent } from '@switchyard/shared/api/work/attempt';
import { EventConnection, type EventSourceLike } from './event-connection.ts';
import { askRefusal, type Refusal } from './refused/ask-refusal.ts';
import { openChannel } from './pages/open-channel.ts';
import { PageGroup, type PageGroupPorts } from './pages/page-group.ts';
import { pageLife } from './pages/page-life.ts';

/** `limited`: the service, or a proxy before it, refuses the connection for now: too many requests came. */
export type StreamStatus = 'connecting' | 'live' | 'reconnecting' | 'limited';
type Listener = (event: StreamEvent) => void;

/** Where the stream stands: `seq` is that of the last event, 0 when none is known. */
type State = { status: StreamStatus; seq: number };

type News =
  /** What has just come, as the service wrote it; the event before it was `after`. */
  | { kind: 'event'; after: number; data: string }
  /** Somebody has signed in or out in this browser. */
  | { kind: 'session' };

/** Another number when what pages tell each other changes: those of two versions have one stream each. */
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
 * The event stream of the service, for all pages of this browser over one connection: browsers open
 * only six to a host. The page that holds it tells the others; whoever takes it over goes on after the
 * last event known. An event is handed out once, in order of `seq`; a page that may have missed some
 * says so.
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
    this.#pages = new PageGroup({
      ...ports,
      name: NAME,
      state: () => ({ status: this.#status, seq: this.#lastSeq }),
      onHold: () => this.#hold(),
      onLetGo: () => this.#connection.stop(),
      onState: (state) => this.#follow(state),
      onNews: (news) => this.#heard(news),
    });
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

  /** Returns the function that ends the subscription; so do the three below. */
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

  /** This page has signed the browser in or out: every page goes on as who that is now. */
  changeSession(): void {
    this.#pages.tell({ kind: 'session' });
    this.#startAgain();
  }

  #hold(): void {
    // Somebody looks at the page: that is no time to wait for the next try.
    if (this.#status === 'reconnecting') this.#connection.restart();
    else this.#connection.start();
  }

  #startAgain(): void {
    if (this.#pages.isHolding) this.#connection.restart();
    this.#reportMissed();
  }

  /** Of the connection that this page holds. */
  #moved(status: StreamStatus): void {
    this.#setStatus(status);
    this.#pages.announce();
  }

  #follow({ status, seq }: State): void {
    // Also without a position: whoever listens already has read before this.
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

  /** `after`: the event before it in the connection that it came by. */
  #take(data: unknown, after: number): void {
    const event = parseEvent(data);
    if (event === null) return;
    const isGap = event.type === 'stream.gap';
    if (!isGap && event.seq <= this.#lastSeq) return;
    if (this.#pages.isHolding) {
      // The first one of a stream without a position: whoever has not had it has missed more.
      const before = after > 0 ? after : event.seq;
      this.#pages.tell({ kind: 'event', after: before, data: String(data) });
    }
    // Without a position nothing says what happened between the page's first reads and now.
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

/** Shared by the whole page. */
export const eventStream = new EventStream();
