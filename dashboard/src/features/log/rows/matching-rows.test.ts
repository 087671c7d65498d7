import type { StreamEvent } from '@switchyard/shared/api/work/attempt';
import { describe, expect, it } from 'vitest';
import { appendEvents, emptyLog, type EventLog } from './event-log.ts';
import { nextFound, findRows } from './find-rows.ts';
import { shownOf } from './use-shown-rows.ts';

function command(seq: number, itemId: string, state: string, output: string): StreamEvent {
  const item = { type: 'command', command: 'npm test', exitCode: 0, output };
  const payload = { itemId, state, item };
  const data = { attemptId: 'a', epoch: 1, kind: 'item', payload };
  return { seq, type: 'attempt.event', at: '2026-11-20T10:00:00.000Z', data };
}

const commands = (from: number, count: number, output: (seq: number) => string): StreamEvent[] =>
  Array.from({ length: count }, (_, position) => {
    const seq = from + position;
    return command(seq, `i${seq}`, 'ended', output(seq));
  });

/** Says `pass`, and `fail` in every tenth row. */
const mixed = (seq: number) => (seq % 10 === 0 ? 'it will FAIL' : 'it will pass');

describe('finding words in a log', () => {
  const found = (log: EventLog, words: string) => {
    const rows = findRows(words, 'all');
    rows?.catchUp(log);
    return rows?.positions;
  };

  it('finds them in any row, whatever their case, and nothing for a single letter', () => {
    const log = appendEvents(emptyLog(), commands(1, 25, mixed));
    expect(found(log, ' fail ')).toEqual([9, 19]);
    expect(found(log, 'f')).toBeUndefined();
    expect(findRows('fail', 'changes')?.catchUp(log)).toBe(true);
  });

  it('keeps up with what is added and with what a row says later', () => {
    let log = appendEvents(emptyLog(), [
      command(1, 'i1', 'started', ''),
      ...commands(2, 19, mixed),
    ]);
    const rows = findRows('fail', 'all');
    rows?.catchUp(log);
    expect(rows?.positions).toEqual([9, 19]);
    log = appendEvents(log, [
      command(21, 'i1', 'ended', 'fail at last'),
      ...commands(22, 9, mixed),
    ]);
    expect(rows?.catchUp(log)).toBe(true);
    expect(rows?.positions).toEqual([0, 9, 19, 28]);
    log = appendEvents(log, [command(31, 'i10', 'ended', 'all is well')]);
    rows?.catchUp(log);
    expect(rows?.positions).toEqual([0, 19, 28]);
    expect(rows?.indexOf(19)).toBe(1);
    expect(rows?.indexOf(9)).toBe(-1);
  });

  it('goes on where it stopped when its time was up, and finds the same', () => {
    const log = appendEvents(emptyLog(), commands(1, 1_000, mixed));
    const rows = findRows('fail', 'all');
    // Its time is up before it begins: whatever the machine, nothing is looked at.
    expect(rows?.catchUp(log, 0)).toBe(false);
    expect(rows?.positions).toEqual([]);
    expect(rows?.catchUp(log)).toBe(true);
    expect(rows?.positions).toEqual(found(log, 'fail'));
    expect(rows?.positions).toHaveLength(100);
  });

  it('finds the same when more rows changed than a log remembers', () => {
    let log = appendEvents(emptyLog(), commands(1, 20, mixed));
    const rows = findRows('fail', 'all');
    rows?.catchUp(log);
    for (let seq = 21; seq <= 10_020; seq += 1) {
      log = appendEvents(log, [command(seq, 'i5', 'ended', seq === 10_020 ? 'fail' : 'pass')]);
    }
    rows?.catchUp(log);
    expect(rows?.positions).toEqual([4, 9, 19]);
  });

  it('walks through what it found and begins again at the other end', () => {
    const log = appendEvents(emptyLog(), commands(1, 30, mixed));
    const rows = findRows('fail', 'all');
    if (rows === null) throw new Error('too few letters');
    expect(nextFound(log, rows, null, 1)).toBeNull();
    rows.catchUp(log);
    const next = (current: string | null, by: number) => nextFound(log, rows, current, by);
    expect([next(null, 1), next(null, 2), next(null, -1)]).toEqual([
      'item:1:i10',
      'item:1:i20',
      'item:1:i30',
    ]);
    expect([next('item:1:i10', 1), next('item:1:i30', 1), next('item:1:i10', -1)]).toEqual([
      'item:1:i20',
      'item:1:i10',
      'item:1:i30',
    ]);
    expect(next('item:1:i11', 1)).toBe('item:1:i10');
  });
});

describe('the shown rows', () => {
  it('get a row in their middle when what it says makes it one of them', () => {
    const failed = (seq: number, itemId: string) => {
      const event = command(seq, itemId, 'ended', '');
      (event.data['payload'] as { item: { exitCode: number } }).item.exitCode = 1;
      return event;
    };
    let log = appendEvents(emptyLog(), [
      command(1, 'i1', 'started', ''),
      failed(2, 'i2'),
      command(3, 'i3', 'ended', ''),
    ]);
    const shown = shownOf('problems', new Set());
    shown?.catchUp(log);
    expect([shown?.positions, shown?.shifts]).toEqual([[1], 0]);
    log = appendEvents(log, [failed(4, 'i1')]);
    shown?.catchUp(log);
    expect([shown?.positions, shown?.shifts]).toEqual([[0, 1], 1]);
  });
});
