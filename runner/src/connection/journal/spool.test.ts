import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EMPTY_DIGEST, extendDigest } from '@switchyard/shared/protocol/extend-digest';
import { FLUSH_BYTES, MAX_EVENT_PAYLOAD_BYTES } from '@switchyard/shared/protocol/limits';
import { array, assert, asyncProperty, constantFrom } from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { jsonBytes } from './encode-payload.ts';
import { settle } from '../testing/fake-clock.ts';
import { Journal } from './journal.ts';
import { Spool } from './spool.ts';
import { testSpec } from '../testing/attempt-spec.ts';
import { payloadBytes, payloadOf } from '../testing/sized-payloads.ts';

const A = { attemptId: 'att_1', epoch: 1 };
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'swy-spool-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('Spool', () => {
  it('keeps order, digest and acknowledgements over a restart', async () => {
    const first = new Spool(join(folder, 'spool.db'));
    first.open(A);
    await Promise.all([1, 2, 3].map((n) => first.append(A, 'log', { n }, n)));
    first.acknowledge(A, 2);
    first.saveEngine(A, { stdoutOffset: 7, nextRpcId: 3, pending: [{ x: 1 }] });
    first.close();
    const second = new Spool(join(folder, 'spool.db'));
    second.open(A);
    await second.append(A, 'log', { n: 4 }, 4);
    const items = [1, 2, 3, 4].map((n) => ({ seq: n, atMs: n, kind: 'log', payload: { n } }));
    expect(second.stream(A)).toMatchObject({
      spooledSeq: 4,
      ackedSeq: 2,
      digest: await extendDigest(EMPTY_DIGEST, items),
    });
    expect(second.read(A, 3, 10, 1_000_000).map(({ item }) => item)).toEqual(items.slice(2));
    expect(second.loadEngine(A)).toEqual({ stdoutOffset: 7, nextRpcId: 3, pending: [{ x: 1 }] });
    second.close();
  });

  it('holds a writer back while it is full, and lets it go on once something is acknowledged', async () => {
    const spool = new Spool(':memory:', 1_000);
    spool.open(A);
    const text = 'x'.repeat(400);
    let stored = 0;
    const writing = [1, 2, 3].map(() =>
      spool.append(A, 'log', { text }, 0).then(() => (stored += 1)),
    );
    await settle();
    expect(stored).toBe(1);
    spool.acknowledge(A, 1);
    await writing[1];
    expect(stored).toBe(2);
    spool.acknowledge(A, 2);
    await Promise.all(writing);
    spool.close();
  });

  it('ends waiting writers when it is sealed or marked late', async () => {
    const spool = new Spool(':memory:', 500);
    spool.open(A);
    const text = 'x'.repeat(400);
    await spool.append(A, 'log', { text }, 0);
    const waiting = spool.append(A, 'log', { text }, 0);
    await settle();
    expect(spool.seal(A)).toMatchObject({ spooledSeq: 1 });
    await waiting;
    expect(spool.stream(A)).toMatchObject({ spooledSeq: 1 });
    spool.markLate(A, 1_000);
    expect(spool.stream(A)).toBeNull();
    spool.purgeLate(1_000 + 25 * 3_600_000);
    expect(spool.read(A, 1, 10, 1_000)).toEqual([]);
    spool.close();
  });

  it('never takes an acknowledgement back or beyond what was written', async () => {
    const spool = new Spool(':memory:');
    spool.open(A);
    await spool.append(A, 'log', {}, 0);
    spool.acknowledge(A, 5);
    expect(spool.stream(A)).toMatchObject({ ackedSeq: 0 });
    spool.acknowledge(A, 1);
    spool.acknowledge(A, 0);
    expect(spool.stream(A)).toMatchObject({ ackedSeq: 1, bytes: 0 });
    spool.close();
  });

  it('cuts a payload that is too large at its long strings, keeping both ends', async () => {
    const spool = new Spool(':memory:');
    spool.open(A);
    const output = `begin${'ü'.repeat(200_000)}end`;
    await spool.append(A, 'item', { state: 'ended', item: { type: 'command', output } }, 0);
    const [event] = spool.read(A, 1, 1, 1);
    const payload = event?.item.payload as { truncated: boolean; item: { output: string } };
    expect(jsonBytes(JSON.stringify(payload))).toBeLessThanOrEqual(MAX_EVENT_PAYLOAD_BYTES);
    expect(payload.truncated).toBe(true);
    expect(payload.item.output.startsWith('begin')).toBe(true);
    expect(payload.item.output.endsWith('end')).toBe(true);
    spool.close();
  });

  it('reads at least one event while there are any, and else no more than the limits', async () => {
    await assert(
      asyncProperty(
        array(payloadBytes, { minLength: 1, maxLength: 6 }),
        constantFrom(1, 2, 64),
        constantFrom(0, 1, FLUSH_BYTES - 1, FLUSH_BYTES, FLUSH_BYTES + 1),
        async (sizes, maxEvents, maxBytes) => {
          const spool = new Spool(':memory:');
          spool.open(A);
          for (const bytes of sizes) await spool.append(A, 'log', payloadOf(bytes), 0);
          for (let fromSeq = 1; fromSeq <= sizes.length + 1; fromSeq += 1) {
            const read = spool.read(A, fromSeq, maxEvents, maxBytes);
            const seqs = read.map(({ item }) => item.seq);
            expect(seqs).toEqual(seqs.map((_, at) => fromSeq + at));
            expect(seqs.length).toBeGreaterThanOrEqual(Math.min(1, sizes.length + 1 - fromSeq));
            expect(seqs.length).toBeLessThanOrEqual(maxEvents);
            const total = read.reduce((sum, { bytes }) => sum + bytes, 0);
            expect(seqs.length > 1 && total > maxBytes).toBe(false);
          }
          spool.close();
        },
      ),
      { numRuns: 60 },
    );
  });

  it('takes every event in order, also one that alone is more than it may keep', async () => {
    await assert(
      asyncProperty(
        array(payloadBytes, { minLength: 1, maxLength: 6 }),
        constantFrom(1, FLUSH_BYTES, FLUSH_BYTES + 96, FLUSH_BYTES + 97),
        async (sizes, maxBytes) => {
          const spool = new Spool(':memory:', maxBytes);
          spool.open(A);
          const writing = sizes.map((bytes) => spool.append(A, 'log', payloadOf(bytes), 0));
          for (let seen = 0; seen < sizes.length;) {
            await settle();
            const read = spool.read(A, seen + 1, 64, 1).map(({ item }) => item.seq);
            expect(read).toEqual([seen + 1]);
            seen += 1;
            spool.acknowledge(A, seen);
          }
          await Promise.all(writing);
          expect(spool.stream(A)).toMatchObject({ spooledSeq: sizes.length, bytes: 0 });
          spool.close();
        },
      ),
      { numRuns: 30 },
    );
  });

  it('vouches for payloads whose keys a parser on the way would drop', async () => {
    const spool = new Spool(':memory:');
    spool.open(A);
    const payload = JSON.parse('{"arguments":{"__proto__":{"a":1},"b":"\\ud800"}}') as Record<
      string,
      unknown
    >;
    await spool.append(A, 'item', payload, 0);
    const events = spool.read(A, 1, 1, 1).map(({ item }) => item);
    const overTheWire = JSON.parse(JSON.stringify(events)) as typeof events;
    expect(overTheWire[0]?.payload).toEqual({ arguments: { b: '\ufffd' } });
    expect(await extendDigest(EMPTY_DIGEST, overTheWire)).toBe(spool.stream(A)?.digest);
    spool.close();
  });
});

describe('Journal', () => {
  it('remembers leases, progress and the finish over a restart', () => {
    const path = join(folder, 'journal.db');
    const first = new Journal(path);
    first.accept(A, testSpec(), 'boot');
    first.accept(A, testSpec({ prompt: 'other' }), 'boot');
    first.update(A, {
      granted: true,
      phase: 'running',
      containerId: 'c',
      progress: { threadId: 't' },
    });
    first.update(A, { progress: { turnNumber: 2 } });
    first.saveLeaseEnd(5);
    first.saveLeaseEnd(6.4);
    first.close();
    const second = new Journal(path);
    expect(second.list()).toMatchObject([
      {
        ...A,
        granted: true,
        phase: 'running',
        containerId: 'c',
        progress: { threadId: 't', turnNumber: 2 },
      },
    ]);
    expect(second.get(A)?.spec.prompt).toBe('Fix it.');
    expect(second.leaseEnd()).toBe(6);
    second.remove(A);
    expect(second.list()).toEqual([]);
    second.close();
  });

  it('belongs to one process at a time', () => {
    const path = join(folder, 'journal.db');
    const first = new Journal(path);
    expect(() => new Journal(path)).toThrow(/another runner/);
    first.close();
    new Journal(path).close();
  });
});
