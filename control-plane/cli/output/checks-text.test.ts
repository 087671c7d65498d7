import type { AttemptCheck } from '@switchyard/shared/checks/attempt-check';
import { expect, it } from 'vitest';
import { checksText } from './checks-text.ts';

const check = (given: Partial<AttemptCheck>): AttemptCheck => ({
  name: 'test',
  command: 'npm test',
  state: 'passed',
  exitCode: 0,
  durationMs: 1_234,
  runs: 1,
  output: 'all well',
  changedFiles: [],
  message: null,
  commitSha: 'a'.repeat(40),
  startedAt: '2026-01-01T10:00:00.000Z',
  endedAt: '2026-01-01T10:00:01.234Z',
  ...given,
});

it('shows each check, and the last lines of those that did not pass', () => {
  const output = Array.from({ length: 30 }, (_, at) => `line ${at + 1}`).join('\n');
  const lines = checksText([
    check({ name: 'lint' }),
    check({ name: 'flaky', runs: 2, durationMs: 75_000 }),
    check({ name: 'third', runs: 3 }),
    check({ state: 'failed', exitCode: 1, runs: 2, output: `${output}\u001b[2J\n` }),
    check({
      name: 'slow',
      state: 'timed_out',
      exitCode: null,
      output: null,
      message: 'after 60 s',
    }),
    check({ name: 'last', state: 'pending', exitCode: null, durationMs: null, output: null }),
  ]).split('\n');
  expect(lines.slice(0, 7)).toEqual([
    expect.stringMatching(/^CHECK +STATE +EXIT +TOOK +WHAT$/),
    expect.stringMatching(/^lint +passed +0 +1\.2 s +-$/),
    expect.stringMatching(/^flaky +passed at the second run +0 +1 min 15 s +-$/),
    expect.stringMatching(/^third +passed at run 3 +0 +1\.2 s +-$/),
    expect.stringMatching(/^test +failed +1 +1\.2 s +-$/),
    expect.stringMatching(/^slow +timed out +- +1\.2 s +after 60 s$/),
    expect.stringMatching(/^last +pending +- +- +-$/),
  ]);
  const last = Array.from({ length: 20 }, (_, at) => `  line ${at + 11}`);
  expect(lines.slice(7)).toEqual([
    '',
    'test printed at its end:',
    ...last,
    '',
    'slow printed at its end:',
    '  nothing that is still there',
    '',
  ]);
});
