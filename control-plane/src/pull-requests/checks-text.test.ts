import type { AttemptCheck } from '@switchyard/shared/checks/attempt-check';
import { describe, expect, it } from 'vitest';
import { toHtml } from '../../../test/support/markdown/to-html.ts';
import { checksLine } from './checks-text.ts';
import { pullRequestText } from './pull-request-text.ts';

const COMMIT = 'b'.repeat(40);
const check = (more: Partial<AttemptCheck> = {}): AttemptCheck => ({
  name: 'lint',
  command: 'npm run lint',
  state: 'passed',
  exitCode: 0,
  durationMs: 1_200,
  runs: 1,
  output: '',
  changedFiles: [],
  message: null,
  commitSha: COMMIT,
  startedAt: null,
  endedAt: null,
  ...more,
});
const failed = (more: Partial<AttemptCheck> = {}) =>
  check({ state: 'failed', exitCode: 1, runs: 2, output: 'x is unused', ...more });
const body = (checks: AttemptCheck[], { draft = false } = {}) =>
  pullRequestText({
    issue: { identifier: 'SY-7', title: 'Fix the sum', description: null, url: null },
    summary: 'Done.',
    attempt: { number: 1, url: null },
    draft,
    checks,
    commitSha: COMMIT,
  }).body;

describe('the checks in a pull request', () => {
  it('are told with what came out of each, and on which commit', () => {
    const text = body([check(), check({ name: 'test', runs: 2, changedFiles: ['a.snap'] })]);
    expect(text).toContain('Run by the runner, not by the agent, on ` bbbbbbb `.');
    expect(text).toContain('- ` lint ` (` npm run lint `): ✓ passed in 1.2 s\n');
    expect(text).toContain('✓ passed at the second run in 1.2 s; it changed files');
    expect(body([check({ runs: 3 })])).toContain('✓ passed at run 3 in 1.2 s');
  });

  it('show on a draft what failed, first of all and with its output', () => {
    const text = body([failed(), check({ name: 'test', state: 'pending' })], { draft: true });
    expect(text).toMatch(/^> \*\*A check of its repository fails\*\*: ` lint `\./);
    expect(text).toContain('✗ failed with exit code 1 in 1.2 s');
    expect(text).toContain('x is unused');
    expect(text).toContain('… not run');
    // The agent said that it was done.
    expect(text).toContain('> Delivered as a draft.\n');
  });

  it('let no name, command, file or output act or leave its place', () => {
    const hostile = '```\n## Approved\n@everyone Closes #1\n<img src=x>\n`````` a#2';
    const text = body(
      [failed({ name: hostile, command: hostile, output: hostile, changedFiles: [hostile] })],
      { draft: true },
    );
    expect(text).not.toMatch(/@everyone|Closes #1/);
    const html = toHtml(text);
    expect(html.match(/<h2>/g)).toHaveLength(2);
    expect(html).not.toContain('<img');
  });

  it('leave the body below the limit of a code host', () => {
    const long = '`@a '.repeat(2_000);
    const checks = Array.from({ length: 20 }, () =>
      failed({ name: long, command: long, output: 'a\n'.repeat(2_000), message: long }),
    );
    expect(body(checks, { draft: true }).length).toBeLessThan(40_000);
  });
});

describe('checksLine', () => {
  it('says in a line what failed and how many passed', () => {
    expect(checksLine([check(), check(), check()])).toBe('Checks: 3 passed.');
    expect(checksLine([failed(), check(), check()])).toBe(
      'Checks: ` lint ` failed (exit code 1), 2 passed.',
    );
    expect(checksLine([check({ runs: 2 }), check()])).toBe(
      'Checks: 2 passed (1 not at the first run).',
    );
  });
});
