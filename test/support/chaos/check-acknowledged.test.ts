import { beforeEach, describe, expect, it } from 'vitest';
import { lostAcknowledged } from './check-acknowledged.ts';
import { WireRecord } from './wire-record.ts';

const A = { attemptId: 'att_1', epoch: 2 };
/** Without a number the service said it. */
type ModelMessage = { seq?: number; text: string };

/** An API that answers these events in one page. */
function apiWith(stored: readonly ModelMessage[]) {
  const events = stored.map(({ seq, text }, index) => ({
    seq: index + 1,
    type: 'attempt.event',
    at: '2026-01-01T00:00:00Z',
    data: {
      epoch: A.epoch,
      runnerSeq: seq ?? null,
      kind: 'note',
      payload: { text },
    },
  }));
  return {
    async must<T>(_method: string, path: string): Promise<T> {
      const after = Number(new URL(path, 'http://host').searchParams.get('after'));
      return { events: events.filter(({ seq }) => seq > after) } as T;
    },
  };
}

describe('lostAcknowledged', () => {
  const said = [1, 2, 3].map((seq) => ({ seq, text: `event ${seq}` }));
  let record: WireRecord;

  beforeEach(() => {
    record = new WireRecord();
    const items = said.map(({ seq, text }) => ({ seq, atMs: 0, kind: 'note', payload: { text } }));
    record.fromRunner(JSON.stringify([{ type: 'events', ...A, from: 1, items }]));
    record.fromPlane(JSON.stringify([{ type: 'ack', ...A, upto: 2 }]));
  });

  const problems = (stored: readonly ModelMessage[]) => lostAcknowledged(record, apiWith(stored));

  it('is content when what was acknowledged is there, more or not', async () => {
    expect(await problems(said)).toEqual([]);
    expect(await problems(said.slice(0, 2))).toEqual([]);
  });

  it('leaves what the service itself says out, and misses what has lost its number', async () => {
    expect(await problems([...said, { text: 'ended with its lease' }])).toEqual([]);
    expect(await problems([{ seq: 1, text: 'event 1' }, { text: 'event 2' }])).toHaveLength(1);
  });

  it('finds what was acknowledged and is missing', async () => {
    const found = await problems(said.slice(0, 1));
    expect(found).toEqual(['att_1 epoch 2 event 2 was acknowledged and is not stored']);
  });

  it('finds what is there twice, in another place or with other words', async () => {
    const [first, second, third] = said as [ModelMessage, ModelMessage, ModelMessage];
    expect(await problems([first, first, second])).not.toEqual([]);
    expect(await problems([second, first, third])).not.toEqual([]);
    expect(await problems([first, { seq: 2, text: 'something else' }])).not.toEqual([]);
  });

  it('takes a verdict at the begin of a session for an acknowledgement', async () => {
    const times = { ttlMs: 1, renewMs: 1, pingMs: 1, offerTtlMs: 1, maxFrameBytes: 1 };
    const verdicts = [{ ...A, verdict: 'keep', ackedSeq: 3 }];
    const welcome = { type: 'welcome', session: 1, protocol: 1, ...times, verdicts };
    record.fromPlane(JSON.stringify([{ ...welcome, window: { events: 1, bytes: 1 } }]));
    expect(await problems(said.slice(0, 2))).toHaveLength(1);
  });
});
