import { EMPTY_DIGEST, extendDigest } from '@switchyard/shared/protocol/extend-digest';
import { expect, it } from 'vitest';
import { attemptEvents } from '../../../control-plane/src/observe/events/queries.ts';
import { dumpTables } from '../../support/core/dump-tables.ts';
import type { CoreWorld } from '../../support/core/core-world.ts';
import { eventsMessage, type Lease, note, numbered } from '../../support/core/scripted-runner.ts';
import type { MakeWorld } from '../describe-runner-protocol.ts';
import { sceneWithLease } from './scene.ts';

async function storedSeqs(world: CoreWorld, lease: Lease): Promise<unknown[]> {
  const input = { attemptId: lease.attemptId, afterSeq: 0, limit: 1_000 };
  const events = await attemptEvents(world.deps.db, input);
  return events
    .filter((event) => event.type === 'attempt.event')
    .map((event) => event.data['runnerSeq']);
}

export function describeEvents(make: MakeWorld): void {
  it('asks for a rewind where a frame leaves a gap, and stores nothing of it', async () => {
    const { world, runner, lease } = await sceneWithLease(make);
    await runner.events(lease, note('one'), note('two'));
    const before = await dumpTables(world.deps.db);
    const items = numbered({ seq: 5 }, [note('six')], world.clock.nowMs());
    expect(await runner.sendOne(eventsMessage(lease, items))).toMatchObject({
      type: 'ack',
      upto: 2,
    });
    expect(await dumpTables(world.deps.db)).toEqual(before);
  });

  it('stores a repeated frame once, and only what is new of an overlapping one', async () => {
    const { world, runner, lease } = await sceneWithLease(make);
    const items = numbered(lease, ['1', '2', '3', '4'].map(note), world.clock.nowMs());
    await runner.sendOne(eventsMessage(lease, items.slice(0, 2)));
    expect(await runner.sendOne(eventsMessage(lease, items.slice(0, 2)))).toMatchObject({
      upto: 2,
    });
    expect(await runner.sendOne(eventsMessage(lease, items))).toMatchObject({
      type: 'ack',
      upto: 4,
    });
    expect(await storedSeqs(world, lease)).toEqual([1, 2, 3, 4]);
    lease.seq = 4;
    expect(await runner.finish(lease, { digest: await chain(items) })).toMatchObject({
      type: 'finished',
    });
  });

  it('refuses items that are not numbered one after another', async () => {
    const { world, runner, lease } = await sceneWithLease(make);
    const items = numbered(lease, [note('1'), note('2')], world.clock.nowMs()).toReversed();
    const reply = await runner.sendOne({ ...eventsMessage(lease, items), from: 1 });
    expect(reply).toMatchObject({ type: 'error', code: 'SEQUENCE', retryable: false });
    expect(await storedSeqs(world, lease)).toEqual([]);
  });

  it('refuses a known kind with a malformed payload, and keeps a kind it does not know', async () => {
    const { world, runner, lease } = await sceneWithLease(make);
    const wrong = numbered(
      lease,
      [{ kind: 'phase', payload: { phase: 'resting' } }],
      world.clock.nowMs(),
    );
    expect(await runner.sendOne(eventsMessage(lease, wrong))).toMatchObject({
      type: 'error',
      code: 'EVENT_INVALID',
    });
    expect(await storedSeqs(world, lease)).toEqual([]);
    const odd = {
      kind: 'weather',
      payload: { rain: true, deep: { 'a"b': ['malformed JSON', null] } },
    };
    expect(await runner.events(lease, odd)).toMatchObject({ type: 'ack', upto: 1 });
    expect(await storedSeqs(world, lease)).toEqual([1]);
  });

  it('stores each event once when frames of one session arrive at the same time', async () => {
    const { world, runner, lease } = await sceneWithLease(make);
    const items = numbered(
      lease,
      Array.from({ length: 12 }, (_, n) => note(`${n}`)),
      world.clock.nowMs(),
    );
    const frames = [0, 3, 6, 9, 0, 3].map((from) =>
      eventsMessage(lease, items.slice(from, from + 3)),
    );
    const replies = (await Promise.all(frames.map((frame) => runner.send(frame)))).flat();
    // One acknowledgement may speak for several frames.
    expect(new Set(replies.map((reply) => reply.type))).toEqual(new Set(['ack']));
    let upto = 0;
    for (let tries = 0; tries < 4 && upto < 12; tries += 1) {
      const reply = await runner.sendOne(eventsMessage(lease, items.slice(upto)));
      if (reply.type === 'ack') upto = reply.upto;
    }
    expect(await storedSeqs(world, lease)).toEqual(items.map((item) => item.seq));
  });

  it('refuses a finish whose chain is another than the stored one', async () => {
    const { world, runner, lease } = await sceneWithLease(make);
    await runner.events(lease, note('one'));
    const before = await dumpTables(world.deps.db);
    expect(await runner.finish(lease, { digest: 'f'.repeat(64) })).toMatchObject({
      type: 'error',
      code: 'DIGEST',
      retryable: false,
    });
    expect(await runner.finish(lease, { finalSeq: 0 })).toMatchObject({
      type: 'error',
      code: 'DIGEST',
    });
    expect(await dumpTables(world.deps.db)).toEqual(before);
  });

  it('asks for missing events before it takes a finish, and repeats its answer after', async () => {
    const { world, runner, lease } = await sceneWithLease(make);
    await runner.events(lease, note('one'));
    const missing = numbered(lease, [note('two')], world.clock.nowMs());
    const digest = await chainFrom(lease.digest, missing);
    const finish = { finalSeq: 2, digest, marker: 'DONE' as const };
    expect(await runner.finish(lease, finish)).toMatchObject({ type: 'ack', upto: 1 });
    expect(await world.attempt(lease.attemptId)).toMatchObject({ status: 'running' });
    await runner.sendOne(eventsMessage(lease, missing));
    const finished = await runner.finish(lease, finish);
    expect(finished).toMatchObject({ type: 'finished' });
    const before = await dumpTables(world.deps.db);
    expect(await runner.finish(lease, finish)).toEqual(finished);
    expect(await runner.finish(lease, { ...finish, outcome: 'failed', marker: null })).toEqual(
      finished,
    );
    expect(await dumpTables(world.deps.db)).toEqual(before);
  });

  it('keeps what the events say of thread, turn, usage and branch', async () => {
    const { world, runner, lease } = await sceneWithLease(make);
    const totals = { input: 10, cachedInput: 4, output: 3, reasoning: 1, total: 13 };
    await runner.events(
      lease,
      { kind: 'thread', payload: { threadId: 'th-1', resumed: false, engineVersion: '1' } },
      { kind: 'turn', payload: { state: 'started', turnId: 'tu-1', number: 1 } },
      { kind: 'usage', payload: { totals } },
    );
    expect(await world.attempt(lease.attemptId)).toMatchObject({
      thread_id: 'th-1',
      turn_id: 'tu-1',
      turn_count: 1,
      tokens: totals,
    });
    await runner.events(lease, {
      kind: 'turn',
      payload: { state: 'ended', turnId: 'tu-1', number: 1 },
    });
    expect(await world.attempt(lease.attemptId)).toMatchObject({ turn_id: null, turn_count: 1 });
  });
}

const chain = (items: Parameters<typeof extendDigest>[1]) => extendDigest(EMPTY_DIGEST, items);
const chainFrom = extendDigest;
