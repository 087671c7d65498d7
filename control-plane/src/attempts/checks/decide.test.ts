import { describe, expect, it } from 'vitest';
import { checksFailedMessage, type CheckStanding, failedChecks } from './decide.ts';

const DECLARED = [{ name: 'lint' }, { name: 'test' }, { name: 'build' }];
const row = (name: string, more: Partial<CheckStanding> = {}): CheckStanding => ({
  name,
  state: 'failed',
  epoch: 2,
  commit_sha: 'b'.repeat(40),
  run: 2,
  ...more,
});
const failed = (...rows: CheckStanding[]) =>
  failedChecks(DECLARED, rows, { epoch: 2, commitSha: 'c'.repeat(40) });

describe('failedChecks', () => {
  it('names what failed or took too long, in the order of the declarations', () => {
    const rows = [row('build', { state: 'timed_out' }), row('test', { state: 'passed' })];
    expect(failed(...rows, row('lint'))).toEqual(['lint', 'build']);
  });

  it('holds nothing against work whose checks did not run, or run for the first time', () => {
    expect(failed(row('lint', { state: 'not_run', run: 1 }))).toEqual([]);
    expect(failed(row('lint', { state: 'running', run: 1 }))).toEqual([]);
  });

  it('knows of a second run that the first one failed', () => {
    expect(failed(row('lint', { state: 'running', run: 2 }))).toEqual(['lint']);
    expect(failed(row('lint', { state: 'not_run', run: 2 }))).toEqual(['lint']);
  });

  it('looks at this lease and this commit only', () => {
    expect(failed(row('lint', { epoch: 1 }))).toEqual([]);
    expect(failed(row('lint', { epoch: 1, commit_sha: 'c'.repeat(40) }))).toEqual(['lint']);
  });

  it('takes no check for one that is not declared', () => {
    expect(failed(row('deploy'))).toEqual([]);
  });
});

describe('checksFailedMessage', () => {
  it('names the checks, however many there are', () => {
    expect(checksFailedMessage(['lint'])).toBe('not delivered: a check failed: lint');
    const many = Array.from({ length: 20 }, (_, index) => `${index}`.padEnd(64, 'x'));
    expect(checksFailedMessage(many)).toMatch(/^not delivered: 20 checks failed: 0x/);
    expect(checksFailedMessage(many).length).toBeLessThan(600);
  });
});
