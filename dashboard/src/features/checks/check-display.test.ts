import { AttemptCheck } from '@switchyard/shared/checks/attempt-check';
import { describe, expect, it } from 'vitest';
import { hasDetails, runText, summaryOf } from './check-display.ts';

function check(changes: Partial<AttemptCheck>): AttemptCheck {
  return AttemptCheck.parse({
    name: 'test',
    command: 'npm test',
    state: 'passed',
    exitCode: 0,
    durationMs: 900,
    runs: 1,
    output: null,
    changedFiles: [],
    message: null,
    commitSha: 'a'.repeat(40),
    startedAt: '2026-11-20T10:00:00.000Z',
    endedAt: '2026-11-20T10:00:01.000Z',
    ...changes,
  });
}

describe('a declared check in words', () => {
  it.each([
    [{ runs: 1 }, 'exit code 0'],
    [{ runs: 2 }, 'passed at the second run · exit code 0'],
    [{ state: 'failed', runs: 2, exitCode: 3 }, 'failed in both runs · exit code 3'],
    [{ runs: 3 }, 'passed at run 3 · exit code 0'],
    [{ state: 'failed', runs: 8, exitCode: 3 }, 'failed in all 8 runs · exit code 3'],
    [{ state: 'running', runs: 2, exitCode: null }, 'second run'],
    [{ state: 'timed_out', runs: 4, exitCode: null }, 'run 4'],
    [{ state: 'timed_out', exitCode: null }, ''],
    [{ state: 'pending', runs: 0, exitCode: null }, ''],
  ] as const)('says of %j: %s', (changes, words) => expect(runText(check(changes))).toBe(words));

  it('is opened only where there is more than its line', () => {
    expect(hasDetails(check({ output: '' }))).toBe(false);
    expect(hasDetails(check({ output: 'ok' }))).toBe(true);
    expect(hasDetails(check({ changedFiles: ['a.txt'] }))).toBe(true);
    expect(hasDetails(check({ message: 'the attempt ended' }))).toBe(true);
  });

  it('is counted with the others, what went wrong first', () => {
    const all = [check({}), check({ state: 'pending' }), check({ state: 'failed' }), check({})];
    expect(summaryOf(all)).toBe('1 failed, 2 passed, 1 pending');
  });
});
