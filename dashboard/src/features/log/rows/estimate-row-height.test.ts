import { expect, it } from 'vitest';
import type { ItemRow, LogRow } from './event-log.ts';
import type { LogItem } from './log-item.ts';
import { estimateRowHeight } from './estimate-row-height.ts';

const LINE_PX = 28;

function heightOf(item: LogItem, endedAtMs: number | null = 1): number {
  const times = { startedAtMs: 0, endedAtMs };
  const row: ItemRow = { kind: 'item', key: 'item:1', turnKey: null, item, ...times };
  return estimateRowHeight(row);
}

const command = (output: string, exitCode: number | null): LogItem => ({
  type: 'command',
  command: 'npm test',
  cwd: '/',
  status: 'completed',
  durationMs: null,
  output,
  exitCode,
});

it('takes a line for what is folded, however long', () => {
  expect(heightOf(command('x'.repeat(5_000), 0))).toBe(LINE_PX);
  expect(heightOf({ type: 'user_message', text: 'x'.repeat(5_000), sent: null })).toBe(LINE_PX);
});

it('takes more for what is open: a failed command, one that runs, a difference, a message', () => {
  const failed = heightOf(command('x'.repeat(200), 1));
  expect(failed).toBeGreaterThan(LINE_PX);
  expect(heightOf(command('x'.repeat(200), null), null)).toBe(failed);
  const changes = [{ path: 'a.ts', kind: 'update', diff: '@@ -1 +1 @@\n'.repeat(20) }];
  expect(heightOf({ type: 'file_change', status: 'completed', changes })).toBeGreaterThan(LINE_PX);
  expect(heightOf({ type: 'message', text: 'word '.repeat(100) })).toBeGreaterThan(LINE_PX);
});

it('stays within what a text block may be high', () => {
  const entry = {
    tone: 'quiet',
    label: 'Git',
    text: '',
    body: 'x'.repeat(1e6),
    by: null,
    merge: null,
  } as const;
  const row: LogRow = { kind: 'entry', key: 'mark:1', turnKey: null, atMs: 0, entry };
  expect(estimateRowHeight(row)).toBeLessThan(400);
});
