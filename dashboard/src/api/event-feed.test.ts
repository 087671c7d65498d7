import type { StreamEvent } from '@switchyard/shared/api/work/attempt';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { EventFeed, type FeedStatus } from './event-feed.ts';

const event = (seq: number, attemptId = 'a'): StreamEvent => ({
  seq,
  type: 'attempt.event',
  at: '2026-11-20T10:00:00.000Z',
  data: { attemptId },
});

/** A stored history that can grow while it is read, and a stream under the test's control. */
function setUp(stored: StreamEvent[], pageSize = 2) {
  const seen: number[] = [];
  const statuses: FeedStatus[] = [];
  let hear: (event: StreamEvent) => void = () => undefined;
  let reconnected: () => void = () => undefined;
  const hooks = { beforePage: async (): Promise<void> => undefined };
  const feed = new EventFeed({
    stream: {
      subscribe: (listener) => {
        hear = listener;
        return () => (hear = () => undefined);
      },
      onMissed: (listener) => {
        reconnected = listener;
        return () => undefined;
      },
    },
    wants: ({ data }) => data['attemptId'] === 'a',
    fetchPage: async (after) => {
      const page = stored.filter((entry) => entry.seq > after).slice(0, pageSize);
      await hooks.beforePage();
      return page;
    },
    onEvents: (events) => seen.push(...events.map((entry) => entry.seq)),
    onOther: () => void seen.splice(0),
    onStatus: (status) => statuses.push(status),
  });
  return {
    feed,
    seen,
    statuses,
    hooks,
    hear: (entry: StreamEvent) => hear(entry),
    reconnect: () => reconnected(),
  };
}

describe('an attempt’s feed', () => {
  it('reads all pages and goes on with the stream, other attempts left out', async () => {
    const { feed, seen, statuses, hear } = setUp([1, 2, 5, 8, 9].map((seq) => event(seq)));
    await feed.load();
    feed.start();
    await expect.poll(() => statuses.at(-1)).toBe('live');
    hear(event(10));
    hear(event(11, 'b'));
    hear(event(12));
    expect(seen).toEqual([1, 2, 5, 8, 9, 10, 12]);
  });

  it('neither loses nor repeats what happens while history is read', async () => {
    const stored = [1, 2, 3].map((seq) => event(seq));
    const { feed, seen, statuses, hooks, hear } = setUp(stored);
    let next = 4;
    hooks.beforePage = async () => {
      if (next > 8) return;
      const fresh = event(next++);
      stored.push(fresh);
      hear(fresh);
    };
    feed.start();
    await expect.poll(() => statuses.at(-1)).toBe('live');
    expect(seen).toEqual(seen.toSorted((a, b) => a - b));
    expect(seen).toEqual([...new Set(seen)]);
    expect(seen).toEqual(stored.map((entry) => entry.seq));
  });

  it('comes to an end although the attempt outruns the reading', async () => {
    const stored = [event(1)];
    const { feed, seen, statuses, hooks, hear } = setUp(stored, 3);
    let next = 2;
    hooks.beforePage = async () => {
      for (let count = 0; count < 5; count += 1) {
        const fresh = event(next++);
        stored.push(fresh);
        hear(fresh);
      }
    };
    feed.start();
    await expect.poll(() => statuses.at(-1)).toBe('live');
    expect(seen).toEqual(stored.map((entry) => entry.seq));
  });

  it('catches up after a reconnect and after a gap', async () => {
    const stored = [event(1)];
    const { feed, seen, statuses, hear, reconnect } = setUp(stored);
    feed.start();
    await expect.poll(() => statuses.at(-1)).toBe('live');
    stored.push(event(2), event(3));
    reconnect();
    await expect.poll(() => seen).toEqual([1, 2, 3]);
    stored.push(event(4));
    hear({ ...event(9), type: 'stream.gap', data: {} });
    await expect.poll(() => seen).toEqual([1, 2, 3, 4]);
  });

  it('begins again in another history, as after a backup was restored', async () => {
    const stored = [event(1), event(12)];
    const { feed, seen, statuses, hear } = setUp(stored);
    feed.start();
    await expect.poll(() => statuses.at(-1)).toBe('live');
    stored.pop();
    hear({ ...event(3), type: 'stream.gap', data: { after: 12, first: 4 } });
    stored.push(event(4));
    hear(event(4));
    await expect.poll(() => statuses.at(-1)).toBe('live');
    hear(event(5));
    expect(seen).toEqual([1, 4, 5]);
  });

  it('has nothing of another history that was being read when that ended', async () => {
    const stored = [event(1), event(12)];
    const { feed, seen, statuses, hooks, hear } = setUp(stored);
    hooks.beforePage = async () => {
      hooks.beforePage = async () => undefined;
      stored.pop();
      hear({ ...event(3), type: 'stream.gap', data: { after: 12, first: 4 } });
    };
    feed.start();
    await expect.poll(() => statuses.at(-1)).toBe('live');
    hear(event(5));
    expect(seen).toEqual([1, 5]);
  });

  it('says that reading failed and can be asked again', async () => {
    const { feed, seen, statuses, hooks } = setUp([event(1)]);
    hooks.beforePage = () => Promise.reject(new Error('down'));
    feed.start();
    await expect.poll(() => statuses.at(-1)).toBe('failed');
    hooks.beforePage = async () => undefined;
    await feed.load();
    expect([seen, statuses.at(-1)]).toEqual([[1], 'live']);
  });

  it('reads again by itself after reading failed', async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const { feed, seen, statuses, hooks } = setUp([event(1)]);
    hooks.beforePage = () => Promise.reject(new Error('down'));
    feed.start();
    await vi.advanceTimersByTimeAsync(0);
    expect(statuses.at(-1)).toBe('failed');
    hooks.beforePage = async () => undefined;
    await vi.advanceTimersByTimeAsync(60_000);
    expect([seen, statuses.at(-1)]).toEqual([[1], 'live']);
    feed.stop();
    expect(vi.getTimerCount()).toBe(0);
  });

  it('reads again within a second after one failure, and ever less often where it goes on failing', async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const { feed, statuses, hooks } = setUp([event(1)]);
    let tries = 0;
    hooks.beforePage = () => {
      tries += 1;
      return Promise.reject(new Error('down'));
    };
    feed.start();
    await vi.advanceTimersByTimeAsync(1_000);
    expect(tries).toBe(2);
    await vi.advanceTimersByTimeAsync(119_000);
    expect(tries).toBeLessThan(16);
    hooks.beforePage = async () => undefined;
    await vi.advanceTimersByTimeAsync(30_000);
    expect(statuses.at(-1)).toBe('live');
    hooks.beforePage = () => Promise.reject(new Error('down'));
    await feed.load();
    hooks.beforePage = async () => undefined;
    await vi.advanceTimersByTimeAsync(1_000);
    expect(statuses.at(-1)).toBe('live');
    feed.stop();
  });

  it('has what happened before and after reading failed, in order', async () => {
    const stored = [event(1)];
    const { feed, seen, statuses, hooks, hear, reconnect } = setUp(stored);
    feed.start();
    await expect.poll(() => statuses.at(-1)).toBe('live');
    stored.push(event(2), event(3));
    hooks.beforePage = () => Promise.reject(new Error('down'));
    reconnect();
    await expect.poll(() => statuses.at(-1)).toBe('failed');
    stored.push(event(4));
    hear(event(4));
    hooks.beforePage = async () => undefined;
    await feed.load();
    expect(seen).toEqual([1, 2, 3, 4]);
  });
});
