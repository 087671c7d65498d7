import { describe, expect, it } from 'vitest';
import { tableText } from './table-text.ts';

const HEAD = ['issue', 'status', 'title'];
const LONG = 'Durations just under a full unit come out wrong '.repeat(4).trim();
const rows = [
  ['SY-1', 'completed', LONG],
  ['SY-2', 'queued', null],
];

describe('a table', () => {
  it('keeps every word where nothing says how wide the terminal is', () => {
    expect(tableText(HEAD, rows, undefined)).toContain(LONG);
  });

  it.each([40, 60, 80])('has lines of at most %i characters on a terminal', (columns) => {
    const lines = tableText(HEAD, rows, columns).trimEnd().split('\n');
    expect(lines).toHaveLength(3);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(columns);
    expect(lines[1]).toMatch(/^SY-1 +completed +Durations.*…$/);
    expect(lines[2]).toMatch(/^SY-2 +queued +-$/);
  });

  it('counts what people see as one character as one', () => {
    const faces = '👩‍💻'.repeat(50);
    expect(tableText(['title'], [[faces]], 20)).toBe(`title\n${'👩‍💻'.repeat(19)}…\n`);
  });
});
