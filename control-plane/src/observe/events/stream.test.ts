import { lt } from 'drizzle-orm';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { StreamEvent } from '@switchyard/shared/api/work/attempt';
import { createEventSignal } from './create-event-signal.ts';
import { createTestDatabase } from '../../../../test/support/test-database.ts';
import { createTestPorts } from '../../../../test/support/test-ports.ts';
import type { Database } from '../../db/database.ts';
import { eventChunks } from '../../db/schema/operation/events.ts';
import { appendEvents } from './append.ts';
import { followEvents } from './stream.ts';

let db: Database;
let close: () => Promise<void>;
const signal = createEventSignal();
const { clock } = createTestPorts();
const listeners: { stop: () => Promise<void> }[] = [];
beforeEach(async () => {
  ({ db, close } = await createTestDatabase());
});
afterEach(async () => {
  await Promise.all(listeners.splice(0).map((listener) => listener.stop()));
  await close();
});

async function append(...texts: string[]): Promise<void> {
  const events = texts.map((text) => ({
    type: text[0] ?? '',
    atMs: 0,
    data: { text, identifier: 'SY-1' },
  }));
  const [first, ...rest] = appendEvents(db, 0, events);
  if (first !== undefined) await db.batch([first, ...rest]);
  signal.notify(0);
}

/** Follows until the test ends; `seen` grows. */
function follow(afterSeq: number, filter: Parameters<typeof followEvents>[1]['filter'] = {}) {
  const seen: StreamEvent[] = [];
  let alive = 0;
  let aborted = false;
  const done = followEvents(
    { db, events: signal, clock },
    { afterSeq, filter, keepAliveMs: 30 },
    {
      encode: (events) => [...events],
      send: async (events) => void seen.push(...events),
      keepAlive: async () => void (alive += 1),
      get aborted() {
        return aborted;
      },
    },
  );
  const stop = async () => {
    aborted = true;
    signal.notify(0);
    await done;
  };
  listeners.push({ stop });
  return { seen, keptAlive: () => alive, stop };
}
const until = (check: () => void) => vi.waitFor(check, { timeout: 25_000, interval: 5 });

describe('following events', () => {
  it('replays from the middle of a chunk on, then goes on live, each event once', async () => {
    await append('a1', 'a2', 'a3');
    await append('b4');
    const { seen } = follow(1);
    await until(() => expect(seen.map((event) => event.seq)).toEqual([2, 3, 4]));
    await append('c5', 'c6');
    await until(() => expect(seen.map((event) => event.seq)).toEqual([2, 3, 4, 5, 6]));
  });

  it('misses nothing of a long history or of a burst', async () => {
    for (let chunk = 0; chunk < 230; chunk += 1) await append('x', 'y');
    const { seen } = follow(0);
    await Promise.all(Array.from({ length: 10 }, () => append('z')));
    await until(() => expect(seen).toHaveLength(470));
    expect(seen.map((event) => event.seq)).toEqual(
      Array.from({ length: 470 }, (_, index) => index + 1),
    );
  });

  it('tells only what is asked for', async () => {
    await append('a1', 'b2', 'a3');
    const { seen } = follow(0, { types: new Set(['a']) });
    const other = follow(0, { issue: 'SY-2' });
    await until(() => expect(seen.map((event) => event.seq)).toEqual([1, 3]));
    await until(() => expect(other.keptAlive()).toBeGreaterThan(0));
    expect(other.seen).toEqual([]);
  });

  it('says first that something is gone when the history begins later', async () => {
    await append('a1', 'a2');
    await append('b3');
    await db.delete(eventChunks).where(lt(eventChunks.first_seq, 3));
    const { seen } = follow(1);
    await until(() => expect(seen.map((event) => event.type)).toEqual(['stream.gap', 'b']));
    expect(seen[0]).toMatchObject({ data: { after: 1, first: 3 } });
    const whole = follow(2);
    await until(() => expect(whole.seen.map((event) => event.type)).toEqual(['b']));
  });

  it('shows that it lives while nothing happens, and ends when the listener goes', async () => {
    const listener = follow(0);
    await until(() => expect(listener.keptAlive()).toBeGreaterThan(1));
    await listener.stop();
    const before = listener.keptAlive();
    await append('late');
    expect(listener.seen).toEqual([]);
    expect(listener.keptAlive()).toBe(before);
  });
});
