import type { StreamEvent } from '@switchyard/shared/api/work/attempt';
import { describe, expect, it } from 'vitest';
import { appendEvents, emptyLog } from './event-log.ts';
import { fitsFilter, type LogFilter } from './log-filter.ts';
import { rowText } from './row-text.ts';

function event(seq: number, kind: string, payload: Record<string, unknown>): StreamEvent {
  const at = new Date(1_700_000_000_000 + seq).toISOString();
  return { seq, type: 'attempt.event', at, data: { attemptId: 'a', epoch: 1, kind, payload } };
}

const item = (seq: number, fields: Record<string, unknown>) =>
  event(seq, 'item', { itemId: `i${seq}`, state: 'ended', item: fields });

const { rows } = appendEvents(emptyLog(), [
  event(1, 'turn', { turnId: 't1', number: 1, state: 'started' }),
  item(2, { type: 'message', text: 'I look at it' }),
  item(3, { type: 'command', command: 'npm test', exitCode: 1, output: '\u001b[31mFAIL\u001b[0m' }),
  item(4, { type: 'command', command: 'ls', exitCode: 0, output: '' }),
  item(5, { type: 'file_change', status: 'completed', changes: [{ path: 'src/a.ts', diff: '' }] }),
  event(6, 'notice', { level: 'warning', message: 'disk is nearly full' }),
]);

describe('the filter of a log', () => {
  const shown = (filter: LogFilter) =>
    rows.filter((row) => row.kind !== 'turn' && fitsFilter(row, filter)).map((row) => row.key);

  it('shows one kind of rows, and turns always', () => {
    expect(shown('commands')).toEqual(['item:1:i3', 'item:1:i4']);
    expect(shown('said')).toEqual(['item:1:i2']);
    expect(shown('changes')).toEqual(['item:1:i5']);
    expect(rows.filter((row) => fitsFilter(row, 'tools'))).toMatchObject([{ kind: 'turn' }]);
  });

  it('finds problems wherever they come from', () => {
    expect(shown('problems')).toEqual(['item:1:i3', 'mark:6']);
  });

  it('is found by its output without escapes', () => {
    expect(rows.filter((row) => rowText(row).includes('fail')).map((row) => row.key)).toEqual([
      'item:1:i3',
    ]);
  });
});
