import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type CoreWorld, createCoreWorld } from '../../../../test/support/core/core-world.ts';
import { openFramePeer } from '../../../../test/support/core/runner-peers.ts';
import { appendEvents } from './append-events.ts';
import { createEventSignal } from './create-event-signal.ts';
import { lastEventSeq } from './queries.ts';
import { shareEventReads } from './share-event-reads.ts';

let world: CoreWorld;
beforeEach(async () => {
  world = await createCoreWorld(openFramePeer);
});
afterEach(() => world.close());

async function append(text: string): Promise<void> {
  const { db } = world.deps;
  const [first, ...rest] = appendEvents(db, 0, [
    { type: 'issue.updated', atMs: 0, data: { text } },
  ]);
  if (first !== undefined) await db.batch([first, ...rest]);
}

describe('listeners of one process', () => {
  it('share a page until a notice says that there may be more', async () => {
    const { db, clock } = world.deps;
    const events = createEventSignal();
    const read = shareEventReads(db, { events, clock });
    const from = await lastEventSeq(db);
    await append('one');
    const [one, other] = await Promise.all([read(from), read(from)]);
    expect(one).toBe(other);
    expect(one.events.map(({ data }) => data)).toEqual([{ text: 'one' }]);
    await append('two');
    expect(await read(from)).toBe(one);
    events.notify();
    expect((await read(from)).events).toHaveLength(2);
  });

  it('read again after a second, should a notice be lost', async () => {
    const { db } = world.deps;
    const read = shareEventReads(db, { events: createEventSignal(), clock: world.clock });
    const from = await lastEventSeq(db);
    expect((await read(from)).events).toEqual([]);
    await append('late');
    world.clock.advance(1_000);
    expect((await read(from)).events).toHaveLength(1);
  });
});
