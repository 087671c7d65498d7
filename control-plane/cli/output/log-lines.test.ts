import type { StreamEvent } from '@switchyard/shared/api/work/attempt';
import { expect, it } from 'vitest';
import { logLines } from './log-lines.ts';

const event = (type: string, data: Record<string, unknown>): StreamEvent => ({
  seq: 1,
  at: '2026-01-01T10:20:30.000Z',
  type,
  data,
});
const AT = '10:20:30  ';

it('says Stopped for what a person stopped, by you for who asks', () => {
  const why = { reasonCode: 'stopped_by_person', reason: 'stopped by Ada' };
  const ended = event('attempt.ended', { ...why, outcome: 'cancelled', message: why.reason });
  expect(logLines(ended, 'Ada')).toEqual([`${AT}* attempt stopped by you`]);
  expect(logLines(ended, 'Bob')).toEqual([`${AT}* attempt stopped by Ada`]);
  expect(logLines(event('issue.cancelled', why), 'Ada')).toEqual([`${AT}* issue stopped by you`]);
  const moved = { reasonCode: 'tracker_moved', reason: 'moved to Done', outcome: 'cancelled' };
  expect(logLines(event('attempt.ended', moved))).toEqual([
    `${AT}* attempt stopped: moved to Done`,
  ]);
});

it('calls nothing interrupted of which it is not known yet who ended it', () => {
  const item = {
    state: 'ended',
    item: { type: 'command', command: 'make', status: 'interrupted' },
  };
  const cut = event('attempt.event', { kind: 'item', payload: item });
  expect(logLines(cut)).toEqual([`${AT}make: not finished`]);
});

it('tells other news as before', () => {
  const failed = { outcome: 'failed', reasonCode: 'runner_lost', errorMessage: 'no word' };
  expect(logLines(event('attempt.ended', failed))).toEqual([
    `${AT}* attempt ended: failed, no word`,
  ]);
  expect(logLines(event('pull_request.opened', {}))).toEqual([`${AT}* pull request opened`]);
});

const message = (text: string): StreamEvent => ({
  seq: 1,
  type: 'attempt.event',
  at: '2026-01-01T10:00:00.000Z',
  data: { kind: 'item', payload: { state: 'ended', item: { type: 'message', text } } },
});

it('shows what an agent says without its status line', () => {
  expect(logLines(message('All done.\n\nSWITCHYARD_STATUS: DONE'))).toEqual([
    '10:00:00  All done.',
  ]);
  expect(logLines(message('SWITCHYARD_STATUS: DONE'))).toEqual([]);
});

it('tells the runs of a check, with what it printed where it did not pass', () => {
  const check = (payload: Record<string, unknown>) =>
    logLines(event('attempt.event', { kind: 'check', payload: { name: 'test', ...payload } }));
  const ended = { state: 'ended', run: 1, result: 'failed', exitCode: 1, durationMs: 61_400 };
  expect(check({ state: 'started', run: 1 })).toEqual([`${AT}--- check test`]);
  expect(check({ state: 'started', run: 2 })).toEqual([`${AT}--- check test, once more`]);
  expect(check({ ...ended, output: 'a\u001b[2Kb\n1 failed\n', changedFiles: ['a.lock'] })).toEqual([
    `${AT}ab`,
    `${AT}1 failed`,
    `${AT}--- check test failed: exit code 1 (1 min 1 s)`,
    `${AT}put back: a.lock`,
  ]);
  const passed = { ...ended, run: 2, result: 'passed', exitCode: 0, output: 'all well' };
  expect(check(passed)).toEqual([`${AT}--- check test passed at the second run (1 min 1 s)`]);
  const notRun = { ...ended, result: 'not_run', exitCode: null, output: '', message: 'no shell' };
  expect(check(notRun)).toEqual([`${AT}--- check test not run: no shell`]);
});

it('names the files that an agent left for review', () => {
  const left = (paths: string[], leftOut: number) => {
    const payload = { files: paths.map((path) => ({ path, bytes: 1 })), leftOut };
    return logLines(event('attempt.event', { kind: 'artifacts', payload }));
  };
  expect(left(['a.png'], 0)).toEqual([`${AT}--- 1 file kept for review: a.png`]);
  expect(left(['a\u001b[2K.png', 'b\nc.txt'], 3)).toEqual([
    `${AT}--- 2 files kept for review: a.png, b c.txt; 3 more not kept`,
  ]);
  expect(left([], 0)).toEqual([`${AT}--- no files kept for review`]);
});
