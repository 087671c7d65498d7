import { describe, expect, it } from 'vitest';
import { streamEvents, wanted } from './stream-events.ts';

const item = (atMs: number, data: Record<string, unknown> = {}) => ({
  type: 'issue.updated' as const,
  atMs,
  data,
});

describe('a chunk in the stream', () => {
  it('gives each event its own number and time', () => {
    expect(streamEvents({ first_seq: 7, items: [item(0), item(1_000, { a: 1 })] })).toEqual([
      { seq: 7, type: 'issue.updated', at: '1970-01-01T00:00:00.000Z', data: {} },
      { seq: 8, type: 'issue.updated', at: '1970-01-01T00:00:01.000Z', data: { a: 1 } },
    ]);
  });

  it.each([1e300, -1e300, 8.64e15 + 1])('can be read although a runner’s clock says %s', (atMs) => {
    const [event] = streamEvents({ first_seq: 1, items: [item(atMs)] });
    expect(Number.isNaN(Date.parse(event?.at ?? ''))).toBe(false);
  });
});

describe('a listener’s filter', () => {
  const event = { seq: 1, type: 'issue.queued', at: '', data: { identifier: 'SY-1' } };
  it('takes everything when it names nothing', () => {
    expect(wanted(event, {})).toBe(true);
  });
  it('takes the issue and the types that it names, and only both together', () => {
    expect(wanted(event, { issue: 'SY-1' })).toBe(true);
    expect(wanted(event, { issue: 'SY-2' })).toBe(false);
    expect(wanted(event, { types: new Set(['issue.queued']) })).toBe(true);
    expect(wanted(event, { issue: 'SY-1', types: new Set(['other']) })).toBe(false);
    expect(wanted({ ...event, data: {} }, { issue: 'SY-1' })).toBe(false);
  });
});
