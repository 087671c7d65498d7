import type { openChannel, PageChannel } from './open-channel.ts';
import type { PageLife } from './page-life.ts';

type Message<State, News> =
  /** Asks which page holds the resource. */
  | { kind: 'ask' }
  /** Answer of the holding page, with its claim. */
  | { kind: 'state'; term: number; from: number; state: State }
  /** The holding page, with this claim, is leaving. */
  | { kind: 'leave'; term: number }
  | { kind: 'news'; news: News };

export type PageGroupPorts = { openChannel: typeof openChannel; page: PageLife };

/** The resource that one page holds, and this page's view of it. */
export type SharedResource<State, News> = {
  /** State of the held resource, for the other pages. */
  state(): State;
  onHold(): void;
  onLetGo(): void;
  onState(state: State): void;
  onNews(news: News): void;
};

/** A holding page answers a new one within this time, or loses the resource. */
const ANSWER_MS = 200;
/**
 * Silence after which a page asks whether any page still holds the resource. Timers of hidden pages
 * fire late.
 */
const SILENCE_MS = 5_000;
/** Without an answer for this long, the holding page is considered dead. */
const DEAD_MS = 3_000;
/** Delays with which pages claim the resource of a leaving one: visible pages first. */
const TAKE_OVER_SEEN_MS = 100;
const TAKE_OVER_HIDDEN_MS = 1_000;

/**
 * The pages of one browser, one of which holds a resource for all. It is the page that was viewed
 * last, since browsers throttle, freeze and discard hidden pages; when it closes, another one takes
 * over. Two simultaneous claims are decided by their number: the time of the view, or one more than
 * the previous number.
 *
 * A message channel suffices. Web Locks would decide claims too, but are missing on pages over
 * plain HTTP from another machine; and Chrome on Android has no SharedWorker.
 */
export class PageGroup<State, News> {
  readonly #name: string;
  readonly #resource: SharedResource<State, News>;
  readonly #openChannel: PageGroupPorts['openChannel'];
  readonly #page: PageLife;
  readonly #id = Math.random();
  #channel: PageChannel<Message<State, News>> | null = null;
  #stopWatching: (() => void) | null = null;
  #takeOver: ReturnType<typeof setTimeout> | undefined;
  #silence: ReturnType<typeof setInterval> | undefined;
  #isJoined = false;
  /** True until it is known which page holds the resource. */
  #isJoining = false;
  #isHolding = false;
  #isSilent = false;
  #term = 0;

  /** Pages with the same name form a group. */
  constructor(
    name: string,
    resource: SharedResource<State, News>,
    { openChannel, page }: PageGroupPorts,
  ) {
    this.#name = name;
    this.#resource = resource;
    this.#openChannel = openChannel;
    this.#page = page;
  }

  get isHolding(): boolean {
    return this.#isHolding;
  }

  start(): void {
    this.#stopWatching ??= this.#page.watch({
      seen: () => this.#seen(),
      left: () => this.#leave(),
      back: () => this.#join(),
    });
    this.#join();
  }

  stop(): void {
    this.#stopWatching?.();
    this.#stopWatching = null;
    this.#leave();
  }

  tell(news: News): void {
    this.#post({ kind: 'news', news });
  }

  /** Sends the state of the held resource to the other pages. */
  announce(): void {
    const state = this.#resource.state();
    this.#post({ kind: 'state', term: this.#term, from: this.#id, state });
  }

  #join(): void {
    if (this.#isJoined) return;
    this.#isJoined = true;
    const onMessage = (message: Message<State, News>) => this.#heard(message);
    this.#channel = this.#openChannel(this.#name, onMessage);
    // Without a channel, each page holds a resource of its own.
    if (this.#channel === null) return this.#hold();
    this.#isJoining = true;
    this.#silence = setInterval(() => this.#findHolder(), SILENCE_MS);
    this.#post({ kind: 'ask' });
    this.#holdIn(ANSWER_MS);
  }

  #leave(): void {
    if (!this.#isJoined) return;
    this.#isJoined = false;
    clearInterval(this.#silence);
    clearTimeout(this.#takeOver);
    if (this.#isHolding) this.#post({ kind: 'leave', term: this.#term });
    this.#letGo();
    this.#channel?.close();
    this.#channel = null;
  }

  #seen(): void {
    if (!this.#isJoined) this.#join();
    else if (!this.#isJoining) this.#hold();
  }

  #heard(message: Message<State, News>): void {
    switch (message.kind) {
      case 'ask':
        if (this.#isHolding) this.announce();
        break;
      case 'state':
        this.#receivedState(message);
        break;
      case 'leave':
        // Another page may already have claimed it: one that becomes visible when a tab is closed.
        if (message.term >= this.#term) this.#holdSoon();
        break;
      case 'news':
        this.#isSilent = false;
        this.#resource.onNews(message.news);
        break;
    }
  }

  #receivedState({ term, from, state }: { term: number; from: number; state: State }): void {
    const isAbove = term > this.#term || (term === this.#term && from > this.#id);
    if (this.#isHolding && !isAbove) return this.announce();
    this.#isSilent = false;
    clearTimeout(this.#takeOver);
    this.#letGo();
    this.#term = Math.max(this.#term, term);
    this.#resource.onState(state);
    const isNew = this.#isJoining;
    this.#isJoining = false;
    if (isNew && this.#page.isSeen()) this.#hold();
  }

  #findHolder(): void {
    if (this.#isHolding) return;
    if (this.#isSilent) {
      this.#post({ kind: 'ask' });
      this.#holdIn(DEAD_MS);
    }
    this.#isSilent = true;
  }

  #holdSoon(): void {
    const isSeen = this.#page.isSeen();
    const least = isSeen ? 0 : TAKE_OVER_SEEN_MS;
    const most = isSeen ? TAKE_OVER_SEEN_MS : TAKE_OVER_HIDDEN_MS;
    this.#holdIn(least + Math.random() * (most - least));
  }

  #holdIn(delayMs: number): void {
    clearTimeout(this.#takeOver);
    this.#takeOver = setTimeout(() => this.#hold(), delayMs);
  }

  #hold(): void {
    clearTimeout(this.#takeOver);
    this.#isJoining = false;
    if (!this.#isHolding) {
      this.#isHolding = true;
      this.#term = Math.max(this.#term + 1, this.#page.isSeen() ? Date.now() : 0);
      this.announce();
    }
    this.#resource.onHold();
  }

  #letGo(): void {
    if (!this.#isHolding) return;
    this.#isHolding = false;
    this.#resource.onLetGo();
  }

  #post(message: Message<State, News>): void {
    this.#channel?.tell(message);
  }
}
