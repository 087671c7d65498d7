import { AttemptEventPayload } from '@switchyard/shared/protocol/attempt-event';
import { describe, expect, it } from 'vitest';
import { appendEvents, emptyLog } from './event-log.ts';
import { readCheckItem } from './check-item.ts';
import { fitsFilter } from './log-filter.ts';
import { rowText } from './row-text.ts';

const OF_RUN = { name: 'test', commitSha: 'a'.repeat(40), run: 1 };
const started = AttemptEventPayload.check.parse({ state: 'started', ...OF_RUN });
const ended = (changes: object) =>
  AttemptEventPayload.check.parse({
    state: 'ended',
    ...OF_RUN,
    result: 'failed',
    exitCode: 1,
    durationMs: 12_400,
    output: '1 of 3 failed',
    ...changes,
  });
const event = (seq: number, payload: Record<string, unknown>) => ({
  seq,
  type: 'attempt.event',
  at: '2026-11-20T10:00:00.000Z',
  data: { attemptId: 'a', identifier: 'SY-1', epoch: 1, kind: 'check', payload },
});

describe('a declared check in the log', () => {
  it.each([
    [{}, 'Check test failed (exit code 1) after 12s'],
    [{ result: 'passed', exitCode: 0 }, 'Check test passed after 12s'],
    [{ result: 'passed', exitCode: 0, run: 2 }, 'Check test passed after 12s, second run'],
    [{ run: 3 }, 'Check test failed (exit code 1) after 12s, run 3'],
    [{ result: 'timed_out', exitCode: null }, 'Check test timed out after 12s'],
    [{ result: 'not_run', exitCode: null }, 'Check test was not run'],
  ])('ends as %j with words', (changes, title) =>
    expect(readCheckItem(ended(changes)).title).toBe(title),
  );

  it('tells below its line what it printed, and what it changed', () => {
    const { output } = readCheckItem(ended({ changedFiles: ['a.txt'], message: 'It was slow.' }));
    expect(output).toBe('It was slow.\n1 of 3 failed\nChanged, and put back: a.txt');
  });

  it('has one row for each run, from its beginning to its end', () => {
    const begun = appendEvents(emptyLog(), [event(1, started)]);
    expect(begun.rows).toMatchObject([
      { item: { title: 'Check test', status: 'running' }, endedAtMs: null },
    ]);
    const log = appendEvents(begun, [event(2, ended({})), event(3, ended({ run: 2 }))]);
    expect(log.rows).toMatchObject([
      { item: { title: 'Check test failed (exit code 1) after 12s' } },
      { item: { title: 'Check test failed (exit code 1) after 12s, second run' } },
    ]);
    expect(log.openItems.size).toBe(0);
  });

  it('is found by what it printed, and among the problems when it failed', () => {
    const rows = appendEvents(emptyLog(), [
      event(1, ended({})),
      event(2, ended({ name: 'lint', result: 'passed', exitCode: 0, output: '' })),
    ]).rows;
    expect(rows.map((row) => rowText(row).includes('1 of 3'))).toEqual([true, false]);
    expect(rows.map((row) => fitsFilter(row, 'problems'))).toEqual([true, false]);
    expect(rows.map((row) => fitsFilter(row, 'commands'))).toEqual([true, true]);
  });
});
