import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { EventSourceLike } from './event-connection.ts';
import { EventStream } from './event-stream.ts';
import type { Refusal } from './refused/ask-refusal.ts';
import type { PageChannel } from './pages/open-channel.ts';
import type { PageLife } from './pages/page-life.ts';

class FakeSource implements EventSourceLike {
  readonly url: string;
  readyState = 0;
  onopen: EventSource['onopen'] = null;
  onmessage: EventSource['onmessage'] = null;
  onerror: EventSource['onerror'] = null;

  constructor(url: string) {
    this.url = url;
  }
  close(): void {
    this.readyState = 2;
  }
  open(): void {
    this.readyState = 1;
    this.onopen?.call(this as unknown as EventSource, {} as Event);
  }
  send(data: string): void {
    this.onmessage?.call(this as unknown as EventSource, { data } as MessageEvent);
  }
  fail(readyState: number): void {
    this.readyState = readyState;
    this.onerror?.call(this as unknown as EventSource, {} as Event);
  }
}

/** One browser: its pages hear each other, later and in order, and have connections to a service. */
class Browser {
  readonly sources: FakeSource[] = [];
  /** Why connections are refused. */
  refusal: Refusal | null = null;
  readonly #channels = new Map<
    PageChannel<never>,
    { hear(message: unknown): void; afterMs: number }
  >();
  readonly #hasChannels: boolean;

  constructor({ hasChannels = true } = {}) {
    this.#hasChannels = hasChannels;
  }

  get openSources(): FakeSource[] {
    return this.sources.filter((source) => source.readyState !== 2);
  }

  get urls(): string[] {
    return this.sources.map((source) => source.url.replace('/api/v1/events?', ''));
  }

  get source(): FakeSource {
    return this.openSources.at(-1) ?? new FakeSource('none');
  }

  page({ isSeen = true, hearsAfterMs = 1, readsAtOnce = false } = {}) {
    const life = { isSeen, on: null as Parameters<PageLife['watch']>[0] | null };
    let channel: PageChannel<never> | null = null;
    let own: FakeSource | null = null;
    const stream = new EventStream({
      openSource: (url) => {
        own = new FakeSource(url);
        this.sources.push(own);
        return own;
      },
      askRefusal: async () => this.refusal,
      openChannel: (_name, onMessage) =>
        (channel = this.#hasChannels ? this.#openChannel(onMessage, hearsAfterMs) : null),
      page: {
        isSeen: () => life.isSeen,
        watch: (on) => {
          life.on = on;
          return () => (life.on = null);
        },
      },
    });
    const seen: number[] = [];
    const told = { missed: 0, sessions: 0 };
    stream.start();
    const draw = () => {
      stream.subscribe((event) => seen.push(event.seq));
      stream.onMissed(() => (told.missed += 1));
      stream.onSession(() => (told.sessions += 1));
    };
    if (readsAtOnce) draw();
    else setTimeout(draw, DRAWS_AFTER_MS);
    return {
      stream,
      seen,
      told,
      holds: () => own !== null && own.readyState !== 2,
      hide: () => (life.isSeen = false),
      show: () => {
        life.isSeen = true;
        life.on?.seen();
      },
      leave: () => life.on?.left(),
      comeBack: () => life.on?.back(),
      /** As when its process is killed: nothing of it runs any more, and its connection ends. */
      die: () => {
        if (channel !== null) this.#channels.delete(channel);
        stream.stop();
      },
    };
  }

  /** Whoever has a channel of this browser's pages hears what the others say, a moment later. */
  #openChannel(onMessage: (message: never) => void, afterMs: number): PageChannel<never> {
    const hear = (message: unknown) => onMessage(structuredClone(message) as never);
    const channel: PageChannel<never> = {
      tell: (message) => {
        const others = this.#channels.has(channel) ? [...this.#channels] : [];
        for (const [other, ears] of others) {
          const pass = () => this.#channels.get(other)?.hear(message);
          if (other !== channel) setTimeout(pass, ears.afterMs);
        }
      },
      close: () => void this.#channels.delete(channel),
    };
    this.#channels.set(channel, { hear, afterMs });
    return channel;
  }
}

/** Pages hear where the stream stands before they draw, and thus read, the first time. */
const DRAWS_AFTER_MS = 10;

const frame = (seq: number, type = 'issue.updated') =>
  JSON.stringify({ seq, type, at: '2026-11-20T10:00:00.000Z', data: {} });

/** Long enough that pages have answered each other, and one that holds nothing asks nobody yet. */
const pass = (ms = 1_500) => vi.advanceTimersByTime(ms);

/** Pages that were opened one after the other, all live at event 41. */
function twelve() {
  const browser = new Browser();
  const pages = [browser.page()];
  pass();
  browser.source.open();
  browser.source.send(frame(41));
  while (pages.length < 12) {
    pages.push(browser.page());
    pass();
    browser.source.open();
  }
  pass();
  const holder = pages.at(-1) ?? browser.page();
  return { browser, pages, holder, others: pages.slice(0, -1) };
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe('the event stream of one page', () => {
  function single() {
    const browser = new Browser();
    const page = browser.page();
    pass();
    return { browser, ...page };
  }

  it('hands out every event once', () => {
    const { browser, seen } = single();
    browser.source.open();
    for (const seq of [3, 4, 4, 3, 7]) browser.source.send(frame(seq));
    expect(seen).toEqual([3, 4, 7]);
  });

  it('ignores what is no event', () => {
    const { browser, seen } = single();
    for (const data of ['', '{', 'null', '{"seq":"1"}', '{"seq":1,"type":"x","data":null}'])
      browser.source.send(data);
    expect(seen).toEqual([]);
  });

  it('opens again after the last event when the browser gave up', () => {
    const { browser, stream } = single();
    browser.source.open();
    browser.source.send(frame(41));
    browser.source.fail(2);
    expect(stream.status).toBe('reconnecting');
    pass(500);
    expect(browser.urls).toEqual(['last=1', 'after=41']);
    browser.source.open();
    expect(stream.status).toBe('live');
  });

  it('waits as long as a refusal asks, and says which one it is', async () => {
    const { browser, stream } = single();
    browser.refusal = { status: 429, waitMs: 34_000 };
    browser.source.fail(2);
    await vi.advanceTimersByTimeAsync(1);
    expect(stream.status).toBe('limited');
    await vi.advanceTimersByTimeAsync(33_990);
    expect(browser.sources).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(100);
    expect(browser.sources).toHaveLength(2);
    // A later one has another reason.
    browser.refusal = { status: 502, waitMs: null };
    browser.source.fail(2);
    await vi.advanceTimersByTimeAsync(1);
    expect(stream.status).toBe('reconnecting');
    await vi.advanceTimersByTimeAsync(1_000);
    browser.source.open();
    expect(stream.status).toBe('live');
  });

  it('tells its other pages that too many requests came', async () => {
    const browser = new Browser();
    const [first, second] = [browser.page(), browser.page()];
    await vi.advanceTimersByTimeAsync(1_000);
    browser.refusal = { status: 429, waitMs: 20_000 };
    browser.source.fail(2);
    await vi.advanceTimersByTimeAsync(100);
    expect([first.stream.status, second.stream.status]).toEqual(['limited', 'limited']);
  });

  it('waits longer each time and leaves the browser’s own reconnecting alone', () => {
    const { browser } = single();
    browser.source.fail(0);
    pass(60_000);
    expect(browser.sources).toHaveLength(1);
    browser.source.fail(2);
    pass(500);
    browser.source.fail(2);
    pass(999);
    expect(browser.sources).toHaveLength(2);
    pass(1);
    expect(browser.sources).toHaveLength(3);
  });

  it('tries at once when somebody looks at the page again', () => {
    const { browser, hide, show } = single();
    browser.source.fail(2);
    hide();
    show();
    expect(browser.openSources).toHaveLength(1);
  });

  it('tells of a reconnect, and of a beginning without a position', () => {
    const { browser, told } = single();
    browser.source.open();
    browser.source.send(frame(41));
    expect(told.missed).toBe(1);
    browser.source.fail(0);
    browser.source.open();
    expect(told.missed).toBe(2);
  });

  it('goes on with another history, where a backup was restored', () => {
    const { browser, seen } = single();
    browser.source.open();
    for (const data of [frame(41), frame(9, 'stream.gap'), frame(10)]) browser.source.send(data);
    expect(seen).toEqual([41, 9, 10]);
  });

  it('stays closed after it was stopped', () => {
    const { browser, stream } = single();
    browser.source.fail(2);
    stream.stop();
    pass(60_000);
    expect(browser.sources).toHaveLength(1);
  });

  it('is closed while the page is kept for "back", and goes on where it was', () => {
    const { browser, leave, comeBack, seen } = single();
    browser.source.open();
    browser.source.send(frame(41));
    leave();
    pass(60_000);
    expect(browser.openSources).toEqual([]);
    comeBack();
    comeBack();
    pass();
    expect(browser.openSources.map(({ url }) => url)).toEqual(['/api/v1/events?after=41']);
    browser.source.send(frame(42));
    expect(seen).toEqual([41, 42]);
  });

  it('has a connection of its own in a browser whose pages cannot talk', () => {
    const browser = new Browser({ hasChannels: false });
    const [one, two] = [browser.page(), browser.page()];
    pass();
    for (const source of browser.sources) source.send(frame(7));
    expect([one.seen, two.seen]).toEqual([[7], [7]]);
    one.leave();
    expect(browser.openSources).toHaveLength(1);
  });
});

describe('the event stream of twelve pages', () => {
  it('is one connection, and all hear each event once', () => {
    const { browser, pages } = twelve();
    expect(browser.openSources).toHaveLength(1);
    for (const seq of [42, 43]) browser.source.send(frame(seq));
    pass();
    for (const page of pages) {
      expect(page.seen.slice(-2)).toEqual([42, 43]);
      expect(page.stream.status).toBe('live');
    }
  });

  it('is joined at its position: nothing is read twice, and nothing missed', () => {
    const { browser, pages } = twelve();
    expect(browser.urls).toEqual(['last=1', ...Array(11).fill('after=41')]);
    expect(pages.map(({ told }) => told.missed)).toEqual([1, ...Array(11).fill(0)]);
  });

  it('begins once when all pages are opened together', () => {
    const browser = new Browser();
    const pages = Array.from({ length: 12 }, () => browser.page());
    pass();
    expect(browser.openSources).toHaveLength(1);
    browser.source.open();
    browser.source.send(frame(5));
    pass();
    for (const { seen, told } of pages) expect([seen, told.missed]).toEqual([[5], 1]);
  });

  it('goes to the page that somebody looks at, where it stands', () => {
    const { browser, pages } = twelve();
    browser.source.send(frame(42));
    pass();
    const [first] = pages;
    first?.hide();
    first?.show();
    pass();
    expect(browser.openSources).toHaveLength(1);
    expect(browser.urls.at(-1)).toBe('after=42');
    browser.source.open();
    for (const seq of [42, 43]) browser.source.send(frame(seq));
    pass();
    for (const { seen } of pages) expect(seen.slice(-2)).toEqual([42, 43]);
    expect(pages.slice(1).map(({ told }) => told.missed)).toEqual(Array(11).fill(0));
  });

  it.each(['in view', 'hidden'])('is taken over from a page that leaves, by one %s', (where) => {
    const { browser, holder, others } = twelve();
    if (where === 'hidden') for (const page of others) page.hide();
    browser.source.send(frame(42));
    holder.leave();
    pass();
    expect(browser.openSources).toHaveLength(1);
    expect(browser.urls.at(-1)).toBe('after=42');
    browser.source.send(frame(43));
    pass();
    for (const { seen } of others) expect(seen.slice(-2)).toEqual([42, 43]);
  });

  it('is taken over from a page that died without a word', () => {
    const { browser, holder, others } = twelve();
    browser.source.send(frame(42));
    pass();
    holder.die();
    pass(20_000);
    expect(browser.openSources).toHaveLength(1);
    expect(browser.urls.at(-1)).toBe('after=42');
    browser.source.send(frame(43));
    pass();
    for (const { seen } of others) expect(seen.at(-1)).toBe(43);
  });

  it('stays where it is while nothing happens', () => {
    const { browser } = twelve();
    pass(600_000);
    expect(browser.sources).toHaveLength(12);
  });

  it('reconnects once for all, and all know that they may have missed something', () => {
    const { browser, pages } = twelve();
    const before = pages.map(({ told }) => told.missed);
    browser.source.fail(2);
    pass(400);
    expect(pages.map(({ stream }) => stream.status)).toEqual(Array(12).fill('reconnecting'));
    pass(60_000);
    expect(browser.openSources).toHaveLength(1);
    expect(browser.sources).toHaveLength(13);
    browser.source.open();
    pass();
    expect(pages.map(({ stream }) => stream.status)).toEqual(Array(12).fill('live'));
    expect(pages.map(({ told }) => told.missed)).toEqual(before.map((count) => count + 1));
  });

  it('begins anew for all when somebody signs in or out', () => {
    const { browser, pages, others } = twelve();
    const [one] = others;
    const old = browser.source;
    one?.stream.changeSession();
    pass();
    expect(old.readyState).toBe(2);
    expect(browser.openSources).toHaveLength(1);
    expect(pages.map(({ told }) => told.missed)).toEqual([2, ...Array(11).fill(1)]);
    // The page where it was done knows already.
    expect(pages.map(({ told }) => told.sessions)).toEqual([0, ...Array(11).fill(1)]);
  });

  it('tells a page that was away, and only that, of what it missed', () => {
    const { browser, pages } = twelve();
    const [away, ...here] = pages;
    away?.leave();
    browser.source.send(frame(42));
    pass();
    away?.hide();
    away?.comeBack();
    pass();
    expect(away?.told.missed).toBe(2);
    expect(here.map(({ told }) => told.missed)).toEqual(Array(11).fill(0));
    browser.source.send(frame(43));
    pass();
    expect(away?.seen.at(-1)).toBe(43);
  });

  it('says so when it was taken over without a position', () => {
    const { browser, holder, others } = twelve();
    for (const page of others) page.hide();
    // As if it hung: neither asked nor told, a new page begins by itself.
    holder.die();
    const fresh = browser.page();
    pass(300);
    expect(browser.urls.at(-1)).toBe('last=1');
    browser.source.open();
    browser.source.send(frame(50));
    pass();
    expect(fresh.seen).toEqual([50]);
    for (const { seen, told } of others) {
      expect(seen.at(-1)).toBe(50);
      expect(told.missed).toBeGreaterThan(0);
    }
  });

  it('tells all pages of another history', () => {
    const { browser, pages } = twelve();
    for (const data of [frame(9, 'stream.gap'), frame(10)]) browser.source.send(data);
    pass();
    for (const { seen } of pages) expect(seen.slice(-2)).toEqual([9, 10]);
  });

  it('stays with the page that somebody looks at when the one before is closed for it', () => {
    const { browser, pages, holder, others } = twelve();
    for (const page of pages) page.hide();
    pages[0]?.show();
    holder.leave();
    pass();
    expect(browser.openSources).toHaveLength(1);
    // The one that is looked at, and nobody after it.
    expect(browser.sources).toHaveLength(13);
    browser.source.open();
    browser.source.send(frame(42));
    pass();
    for (const { seen } of others) expect(seen.at(-1)).toBe(42);
  });

  it('is with the page in view, also where the one before answers late', () => {
    const { browser } = twelve();
    const fresh = browser.page({ hearsAfterMs: 400 });
    pass();
    expect(browser.openSources).toHaveLength(1);
    expect(fresh.holds()).toBe(true);
  });

  it('may have gone on while a page read that did not know where it stands', () => {
    const { browser } = twelve();
    const late = browser.page({ readsAtOnce: true });
    pass();
    expect(late.told.missed).toBe(1);
  });

  it('says so where it was handed over before its first event had come', () => {
    const browser = new Browser();
    const pages = [browser.page(), browser.page()];
    pass();
    browser.source.open();
    pass();
    const before = pages.map(({ told }) => told.missed);
    const [one, two] = pages;
    for (const page of [one, two, one]) {
      page?.show();
      pass();
    }
    browser.source.open();
    browser.source.send(frame(7));
    pass();
    expect(pages.map(({ told }) => told.missed)).toEqual(before.map((count) => count + 1));
  });
});
