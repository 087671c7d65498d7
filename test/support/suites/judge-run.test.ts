import { describe, expect, it } from 'vitest';
import { filesToRepeat, judgeRun, MAX_UNSTEADY_FILES, tallyLine } from './judge-run.ts';
import type { FileResult, TestResults } from './test-results.ts';

function file(name: string, result: Partial<FileResult> = {}): FileResult {
  return {
    file: name,
    suite: 'e2e',
    passed: 1,
    failed: 0,
    skipped: [],
    firstError: null,
    ...result,
  };
}

const broken = (name: string) => file(name, { failed: 1, firstError: 'no' });

function results(files: FileResult[], more: Partial<TestResults> = {}): TestResults {
  return { files, strayErrors: [], missing: [], notices: [], ...more };
}

const noSecondLook = new Map<string, TestResults | null>();

/** A second look at each of these files, with this result. */
function again(...files: FileResult[]): Map<string, TestResults> {
  return new Map(files.map((result) => [result.file, results([result])]));
}

const STRICT = { requiresAll: true };

describe('the second look', () => {
  it('is for files that failed, and for those in whose time something failed outside', () => {
    const stray = { file: 'b', error: 'stray' };
    const run = results([file('a'), file('b'), broken('c')], { strayErrors: [stray] });
    expect(filesToRepeat(run).map(({ file: name }) => name)).toEqual(['b', 'c']);
  });

  it('takes what then passes for passed, and names it with its first error', () => {
    const verdict = judgeRun(
      results([file('a'), broken('b')]),
      again(file('b', { passed: 2 })),
      STRICT,
    );
    expect(verdict).toMatchObject({
      ok: true,
      passed: 3,
      failed: 0,
      unsteady: [{ file: 'b', firstError: 'no' }],
      lines: ['unsteady: b: no'],
    });
  });

  it('leaves what fails twice failed, what it could not run too', () => {
    for (const second of [
      again(broken('a')),
      new Map([['a', null]]),
      new Map([['a', results([])]]),
    ]) {
      const verdict = judgeRun(results([broken('a')]), second, STRICT);
      expect(verdict).toMatchObject({ ok: false, failed: 1, unsteady: [] });
    }
  });

  it('forgives an error outside of tests that does not come again, no other one', () => {
    const run = results([file('a')], { strayErrors: [{ file: 'a', error: 'stray' }] });
    expect(judgeRun(run, again(file('a')), STRICT)).toMatchObject({
      ok: true,
      failed: 0,
      unsteady: [{ file: 'a', firstError: 'stray' }],
    });
    expect(judgeRun(run, new Map([['a', run]]), STRICT)).toMatchObject({ ok: false, failed: 1 });
    expect(judgeRun(run, noSecondLook, STRICT)).toMatchObject({ ok: false, failed: 1 });
    const nowhere = results([file('a')], { strayErrors: [{ file: null, error: 'stray' }] });
    expect(judgeRun(nowhere, noSecondLook, STRICT)).toMatchObject({ ok: false, failed: 1 });
  });

  it('fails a run with too many unsteady files', () => {
    const names = Array.from({ length: MAX_UNSTEADY_FILES + 1 }, (_, index) => `f${index}`);
    const verdict = judgeRun(
      results(names.map(broken)),
      again(...names.map((n) => file(n))),
      STRICT,
    );
    expect(verdict).toMatchObject({ ok: false, failed: 1 });
    expect(verdict.unsteady).toHaveLength(MAX_UNSTEADY_FILES + 1);
    const [, ...fewer] = names;
    const forgiven = judgeRun(
      results(fewer.map(broken)),
      again(...fewer.map((n) => file(n))),
      STRICT,
    );
    expect(forgiven.ok).toBe(true);
  });
});

describe('a run', () => {
  it('fails when it executed nothing', () => {
    const skipped = results([file('a', { passed: 0, skipped: ['waits'] })]);
    const verdict = judgeRun(skipped, noSecondLook, { requiresAll: false });
    expect(verdict.ok).toBe(false);
    expect(tallyLine(verdict)).toBe('0 passed, 0 failed, 1 skipped');
  });

  it('names what the machine lacks, and fails for it only where all is required', () => {
    const run = results([file('a')], { missing: ['docker tests skipped: no daemon'] });
    expect(judgeRun(run, noSecondLook, { requiresAll: false })).toMatchObject({
      ok: true,
      lines: run.missing,
    });
    const strict = judgeRun(run, noSecondLook, STRICT);
    expect(strict.lines).toEqual(expect.arrayContaining(run.missing));
    expect(tallyLine(strict)).toBe('1 passed, 1 failed');
  });

  it('fails where all is required and a test skipped itself', () => {
    const verdict = judgeRun(results([file('a', { skipped: ['waits'] })]), noSecondLook, STRICT);
    expect(verdict.lines).toContain('skipped: a > waits');
    expect(tallyLine(verdict)).toBe('1 passed, 1 failed');
  });

  it('takes missing data for a notice', () => {
    const run = results([file('a')], { notices: ['Linear schema tests skipped: not set'] });
    expect(judgeRun(run, noSecondLook, STRICT)).toMatchObject({ ok: true, lines: run.notices });
  });
});
