import {
  FLUSH_BYTES,
  FLUSH_EVENTS,
  MAX_FRAME_BYTES,
  TARGET_FRAME_BYTES,
} from '@switchyard/shared/protocol/limits';
import { array, assert, asyncProperty, boolean, constantFrom, record } from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { LeaseRef } from '../lease-ref.ts';
import { Spool } from '../journal/spool.ts';
import { payloadBytes, payloadOf } from '../testing/sized-payloads.ts';
import { ATTEMPT, useSession } from '../testing/use-session.ts';
import { encodeFrames } from './frame.ts';
import { type Batch, StreamFlow } from './stream-flow.ts';

const rig = useSession();

describe('events', () => {
  it('arrive once, in order, over a cut in the middle', async () => {
    await rig.runOne();
    await rig.emit(10);
    await rig.clock.advance(60);
    rig.plane.mischief.noAck = true;
    await rig.emit(10);
    await rig.clock.advance(60);
    rig.wire.cut();
    await rig.emit(10);
    rig.plane.mischief.noAck = false;
    await rig.clock.advance(2_000);
    const stored = rig.plane.stored.get('att_00000001@1') ?? [];
    expect(stored.map(({ seq }) => seq)).toEqual(Array.from({ length: 30 }, (_, at) => at + 1));
    expect(rig.spool.stream(ATTEMPT)).toMatchObject({ spooledSeq: 30, ackedSeq: 30, bytes: 0 });
  });

  it('go again from the last acknowledged one when a batch was lost', async () => {
    await rig.runOne();
    rig.plane.mischief.loseBatches = 1;
    await rig.emit(200);
    await rig.clock.advance(200);
    expect(rig.plane.stored.get('att_00000001@1')).toHaveLength(200);
  });

  it('go again by and by when the only batch was lost without a word', async () => {
    await rig.runOne();
    rig.plane.mischief.loseBatches = 1;
    await rig.emit(1);
    await rig.clock.advance(40_000);
    expect(rig.plane.stored.get('att_00000001@1')).toHaveLength(1);
  });

  it('stay within the window while nothing is acknowledged', async () => {
    await rig.runOne();
    rig.plane.mischief.noAck = true;
    await rig.emit(600);
    await rig.clock.advance(1_000);
    const sent = rig.plane.all('events').reduce((sum, { items }) => sum + items.length, 0);
    expect(sent).toBe(256);
  });

  it('wait on disk while the socket is slow, and control messages pass them', async () => {
    await rig.runOne();
    rig.wire.bufferedBytes = 2 * 1_048_576;
    await rig.emit(100);
    await rig.clock.advance(16_600);
    expect(rig.plane.all('events')).toHaveLength(0);
    expect(rig.plane.all('renew').length).toBeGreaterThan(0);
    rig.wire.bufferedBytes = 0;
    await rig.clock.advance(100);
    expect(rig.plane.stored.get('att_00000001@1')).toHaveLength(100);
  });
});

describe('finish', () => {
  it('goes only after every event is committed, and again until it is confirmed', async () => {
    await rig.runOne();
    rig.plane.mischief.noAck = true;
    await rig.emit(5);
    rig.attempts.finish(ATTEMPT);
    rig.session.wake();
    await rig.clock.advance(1_000);
    expect(rig.plane.all('finish')).toHaveLength(0);
    rig.plane.mischief.noAck = false;
    rig.plane.mischief.noFinished = true;
    rig.wire.cut();
    await rig.clock.advance(2_000);
    expect(rig.plane.all('finish')).toHaveLength(1);
    rig.plane.mischief.noFinished = false;
    await rig.clock.advance(35_000);
    expect(rig.plane.all('finish').length).toBeGreaterThan(1);
    expect(rig.attempts.leases.size).toBe(0);
  });
});

const OTHER = { attemptId: 'att_00000002', epoch: 1 };

/** Everything that may leave now. */
function takeAll(flow: StreamFlow): Batch[] {
  const all: Batch[] = [];
  for (let batches = flow.take(); batches.length > 0; batches = flow.take()) all.push(...batches);
  return all;
}

/** Spools events of these sizes under a lease. */
async function fill(spool: Spool, ref: LeaseRef, sizes: readonly number[]): Promise<void> {
  spool.open(ref);
  for (const bytes of sizes) await spool.append(ref, 'log', payloadOf(bytes), 0);
}

describe('events of any size', () => {
  const sizes = array(payloadBytes, { maxLength: 8 });
  const window = record({
    events: constantFrom(1, 2, FLUSH_EVENTS),
    bytes: constantFrom(1, FLUSH_BYTES - 1, FLUSH_BYTES, FLUSH_BYTES + 1, 4 * FLUSH_BYTES),
  });

  it('all arrive, each once and in order, whatever is lost on the way', async () => {
    await assert(
      asyncProperty(
        ...([sizes, sizes, window, array(boolean(), { maxLength: 6 })] as const),
        async (own, others, credit, losses) => {
          const spool = new Spool(':memory:');
          await fill(spool, ATTEMPT, own);
          await fill(spool, OTHER, others);
          const flow = new StreamFlow(spool, credit);
          const stored = new Map<string, number>();
          for (const ref of [ATTEMPT, OTHER]) {
            flow.open(ref, 0);
            stored.set(ref.attemptId, 0);
          }
          // Each round brings at least one event further, or loses a batch.
          for (let rounds = own.length + others.length + 6; rounds >= 0; rounds -= 1) {
            const batches = takeAll(flow);
            for (const { ref, from, items } of batches) {
              expect(items.map(({ seq }) => seq)).toEqual(items.map((_, at) => from + at));
              const frames = encodeFrames([{ type: 'events', ...ref, from, items }], 1);
              expect(frames.map((frame) => Buffer.byteLength(frame) <= MAX_FRAME_BYTES)).toEqual([
                true,
              ]);
              if (losses.pop() === true) continue;
              const last = stored.get(ref.attemptId) ?? 0;
              if (from === last + 1) stored.set(ref.attemptId, last + items.length);
              flow.acknowledged(ref, stored.get(ref.attemptId) ?? 0);
            }
            // What stays unanswered goes again, as when a lease is renewed.
            flow.stuck();
            for (const ref of flow.stuck()) flow.rewind(ref);
          }
          expect([...stored.values()]).toEqual([own.length, others.length]);
          expect([flow.isDrained(ATTEMPT), flow.isDrained(OTHER)]).toEqual([true, true]);
          spool.close();
        },
      ),
      { numRuns: 60 },
    );
  });

  it('leave nobody out while others of the runner have used up all credit', async () => {
    const spool = new Spool(':memory:');
    const refs = Array.from({ length: 7 }, (_, at) => ({ attemptId: `att_${at}`, epoch: 1 }));
    const flow = new StreamFlow(spool, { events: 256, bytes: 1_048_576 });
    for (const ref of refs) {
      await fill(
        spool,
        ref,
        Array.from({ length: 20 }, () => FLUSH_BYTES),
      );
      flow.open(ref, 0);
    }
    const first = takeAll(flow);
    expect(new Set(first.map(({ ref }) => ref.attemptId)).size).toBe(refs.length);
    let batches = first;
    for (let rounds = 0; rounds < 20 && batches.length > 0; rounds += 1) {
      for (const { ref, from, items } of batches) flow.acknowledged(ref, from + items.length - 1);
      batches = takeAll(flow);
    }
    expect(refs.every((ref) => flow.isDrained(ref))).toBe(true);
    spool.close();
  });

  it('leave in frames of the agreed size, a larger message alone', () => {
    const message = (bytes: number) => ({
      ...({ type: 'events', ...ATTEMPT, from: 1 } as const),
      items: [{ seq: 1, atMs: 0, kind: 'log', payload: payloadOf(bytes) }],
    });
    const around = [-200, -121, -120, -119, 0, 1].map((by) => TARGET_FRAME_BYTES + by);
    const messages = [200, ...around, 200, 200].map(message);
    const frames = encodeFrames(messages, TARGET_FRAME_BYTES);
    const parsed = frames.map((frame) => JSON.parse(frame) as unknown[]);
    expect(parsed.flat()).toEqual(messages);
    for (const [at, frame] of frames.entries()) {
      const fits = Buffer.byteLength(frame) <= TARGET_FRAME_BYTES;
      expect(fits || parsed[at]?.length === 1).toBe(true);
    }
  });
});
