import type { EventType } from '@switchyard/shared/api/event-type';
import { lt } from 'drizzle-orm';
import { assert, asyncProperty, nat } from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { StreamEvent } from '@switchyard/shared/api/work/attempt';
import { createEventSignal } from './create-event-signal.ts';
import {
  countEvents,
  sizedChunks,
  storeChunks,
} from '../../../../test/support/core/sized-chunks.ts';
import { createTestDatabase } from '../../../../test/support/test-database.ts';
import { createTestPorts } from '../../../../test/support/test-ports.ts';
import type { Database } from '../../db/database.ts';
import { eventChunks } from '../../db/schema/operation/events.ts';
import { appendEvents } from './append-events.ts';
import { BYTES_PER_READ, CHUNKS_PER_READ, lastEventSeq } from './queries.ts';
import { followEvents } from './follow-events.ts';

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
    // Short, to be told apart; types play no part here.
    type: (text[0] ?? '') as EventType,
    atMs: 0,
    data: { text, identifier: 'SY-1' },
  }));
  const [first, ...rest] = appendEvents(db, 0, events);
  if (first !== undefined) await db.batch([first, ...rest]);
  signal.notify();
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
    signal.notify();
    await done;
  };
  listeners.push({ stop });
  return { seen, keptAlive: () => alive, stop };
}

/** What a listener is told of what is stored, until there is nothing more. */
async function replay(afterSeq: number): Promise<number[]> {
  const seqs: number[] = [];
  let aborted = false;
  await followEvents(
    { db, events: signal, clock },
    { afterSeq, filter: {}, keepAliveMs: 1 },
    {
      encode: (events) => events.map(({ seq }) => seq),
      send: async (told) => void seqs.push(...told),
      keepAlive: async () => void (aborted = true),
      get aborted() {
        return aborted;
      },
    },
  );
  return seqs;
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

  it('goes on after a flush as large as a page, live, in a replay and from any place', async () => {
    const live = follow(0);
    await append('a1', 'x'.repeat(BYTES_PER_READ));
    await append('b3');
    await append('c4');
    const seqs = ({ seen }: { seen: StreamEvent[] }) => seen.map((event) => event.seq);
    await until(() => expect(seqs(live)).toEqual([1, 2, 3, 4]));
    for (const place of [0, 1, 2, 3]) {
      const replay = follow(place);
      await until(() => expect(seqs(replay)).toEqual([1, 2, 3, 4].slice(place)));
    }
  });

  it('tells each event once and in order, whatever the sizes and the place', async () => {
    await assert(
      asyncProperty(sizedChunks(BYTES_PER_READ), nat(15), async (chunks, skipped) => {
        const before = await lastEventSeq(db);
        await storeChunks(db, chunks);
        const last = before + countEvents(chunks);
        const afterSeq = Math.min(before + skipped, last);
        const expected = Array.from({ length: last - afterSeq }, (_, at) => afterSeq + at + 1);
        expect(await replay(afterSeq)).toEqual(expected);
      }),
      { numRuns: 40 },
    );
  });

  it('tells all of as many chunks as one read takes, and of one more or less', async () => {
    await storeChunks(
      db,
      Array.from({ length: CHUNKS_PER_READ + 1 }, () => ({ bytes: 0, events: 2, letter: 'x' })),
    );
    const last = await lastEventSeq(db);
    for (const chunks of [CHUNKS_PER_READ - 1, CHUNKS_PER_READ, CHUNKS_PER_READ + 1]) {
      const afterSeq = last - 2 * chunks;
      const expected = Array.from({ length: 2 * chunks }, (_, at) => afterSeq + at + 1);
      expect(await replay(afterSeq)).toEqual(expected);
    }
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

  it('says so when the place was never reached, as before a backup was restored', async () => {
    await append('a1', 'a2');
    const { seen } = follow(900);
    await until(() => expect(seen.map((event) => event.type)).toEqual(['stream.gap']));
    expect(seen[0]).toMatchObject({ seq: 2, data: { after: 900, first: 3 } });
    await append('b3');
    await until(() => expect(seen.map((event) => event.seq)).toEqual([2, 3]));
    const current = follow(3);
    await append('c4');
    await until(() => expect(current.seen.map((event) => event.seq)).toEqual([4]));
  });

  it('ends with what is stored where nobody wants to follow', async () => {
    await append('a1', 'x'.repeat(BYTES_PER_READ));
    await append('b3');
    const seen: number[] = [];
    await followEvents(
      { db, events: signal, clock },
      { afterSeq: 0, filter: {}, endsWithStored: true },
      {
        encode: (events) => events.map(({ seq }) => seq),
        send: async (told) => void seen.push(...told),
        keepAlive: () => Promise.reject(new Error('it follows')),
        aborted: false,
      },
    );
    expect(seen).toEqual([1, 2, 3]);
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
