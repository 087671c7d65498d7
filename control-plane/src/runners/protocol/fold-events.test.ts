import { describe, expect, it } from 'vitest';
import type { StoredEvent } from '../../db/schema/operation/events.ts';
import { foldEvents, MalformedEvent } from './fold-events.ts';

const CONTEXT = { attemptId: 'att_1', identifier: 'SY-1', epoch: 2 };

function fold(...events: [kind: string, payload: Record<string, unknown>][]) {
  const items = events.map(([kind, payload], index) => ({
    seq: index + 4,
    atMs: 100 + index,
    kind,
    payload,
    payloadJson: JSON.stringify(payload),
  }));
  const folded = foldEvents(items, CONTEXT);
  return { ...folded, stored: folded.stored.map((text) => JSON.parse(text) as StoredEvent) };
}
const QUESTION = { id: 'q', header: 'h', question: 'Which?', options: [], isSecret: false };

describe('a frame of events', () => {
  it('stores each item in order with its lease and its number', () => {
    const { stored } = fold(['log', { source: 'git', text: 'a' }], ['strange', { any: 1 }]);
    expect(stored).toEqual([
      {
        type: 'attempt.event',
        atMs: 100,
        data: { ...CONTEXT, runnerSeq: 4, kind: 'log', payload: { source: 'git', text: 'a' } },
      },
      {
        type: 'attempt.event',
        atMs: 101,
        data: { ...CONTEXT, runnerSeq: 5, kind: 'strange', payload: { any: 1 } },
      },
    ]);
  });

  it('changes nothing by a kind it does not know', () => {
    expect(fold(['strange', { phase: 'streaming' }]).patch).toEqual({});
  });

  it('gives the last word where one follows the other', () => {
    const totals = (total: number) => ({
      input: 0,
      cachedInput: 0,
      output: 0,
      reasoning: 0,
      total,
    });
    const { patch } = fold(
      ['phase', { phase: 'workspace' }],
      ['phase', { phase: 'streaming' }],
      ['thread', { threadId: 'th', resumed: false, engineVersion: '1' }],
      ['turn', { state: 'started', turnId: 't1', number: 1 }],
      ['usage', { totals: totals(5) }],
      ['turn', { state: 'ended', turnId: 't1', number: 1 }],
      ['turn', { state: 'started', turnId: 't2', number: 2 }],
      ['usage', { totals: totals(9) }],
    );
    expect(patch).toEqual({
      phase: 'streaming',
      thread_id: 'th',
      engine_version: '1',
      turn_id: 't2',
      turn_count: 2,
      tokens: totals(9),
    });
  });

  it('tells of a new phase as an event of its own too', () => {
    const types = fold(['phase', { phase: 'starting' }]).stored.map((event) => event.type);
    expect(types.toSorted()).toEqual(['attempt.event', 'attempt.phase']);
  });

  it('forgets the turn that has ended', () => {
    expect(fold(['turn', { state: 'ended', turnId: 't1', number: 1 }]).patch).toEqual({
      turn_id: null,
      turn_count: 1,
    });
  });

  it('collects questions, what became of them, and words that arrived', () => {
    const folded = fold(
      ['request', { requestId: 'e1', turnId: 't1', questions: [QUESTION] }],
      ['request_resolved', { requestId: 'e0' }],
      ['item', { state: 'ended', itemId: 'i1', item: { type: 'user_message', clientId: 'cmt_1' } }],
      [
        'item',
        { state: 'ended', itemId: 'i2', item: { type: 'agent_message', clientId: 'cmt_2' } },
      ],
    );
    expect(folded).toMatchObject({
      asked: [{ engineRequestId: 'e1', questions: [QUESTION] }],
      resolved: ['e0'],
      delivered: ['cmt_1'],
    });
  });

  it.each([
    ['phase', { phase: 'resting' }],
    ['turn', { state: 'started' }],
    ['usage', { totals: { total: 'many' } }],
    ['request', { requestId: 'e1', turnId: 't1', questions: 'what?' }],
    ['item', { state: 'ended', itemId: 'i1', item: 'text' }],
    ['workspace', {}],
    ['snapshot', { commitSha: 1 }],
    ['checkpoint', {}],
  ] as [string, Record<string, unknown>][])('is refused for a malformed %s', (kind, payload) => {
    expect(() => fold([kind, payload])).toThrow(MalformedEvent);
  });
});
