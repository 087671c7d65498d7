import { spawn, spawnSync } from 'node:child_process';
import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { filesToRepeat, judgeRun, type Unsteady, type Verdict } from './judge-run.ts';
import { GATE_VARIABLE, RESULTS_VARIABLE, type TestResults } from './test-results.ts';

const VITEST = join(import.meta.dirname, '../../../node_modules/vitest/vitest.mjs');
/** Below the root of what is tested, ignored by git: one line for each unsteady file ever seen. */
export const UNSTEADY_LOG = 'unsteady-tests.log';

const PASSED = 'exit code 0';

export type TestRun = {
  /** Absolute path of the checkout, or of a folder with a vitest configuration of its own. */
  root: string;
  /** Arguments of `vitest run`. */
  args: readonly string[];
  /** Whether only the gate's files of each suite are to run. */
  isGate: boolean;
  /** Whether files that failed are run once more, alone. */
  repeats: boolean;
  /** Whether a missing part of the machine, or a test that left itself out, fails the run. */
  requiresAll: boolean;
};

/** This process was told to end while tests ran. */
export class RunInterruptedError extends Error {}

/** Where more files fail at first, something is broken that a second look does not mend. */
const MAX_REPEATED_FILES = 10;

/** Runs vitest, and after it each file that failed alone; prints as it goes, but no tally. */
export async function runTests(run: TestRun): Promise<Verdict> {
  const { ended, results } = await runVitest(run, run.args);
  if (results === null) return withoutResults(run, ended);
  const second = new Map<string, TestResults | null>();
  const failed = run.repeats ? filesToRepeat(results) : [];
  if (failed.length > MAX_REPEATED_FILES) {
    console.log(`\n${failed.length} files failed: too many to run each of them once more`);
  }
  for (const { file, suite } of failed.length > MAX_REPEATED_FILES ? [] : failed) {
    console.log(`\nonce more, alone: ${file}`);
    const project = suite === '' ? [] : ['--project', suite];
    second.set(file, (await runVitest(run, [...project, file])).results);
  }
  const verdict = judgeRun(results, second, run);
  keepUnsteady(run.root, verdict.unsteady);
  // Vitest knows of failures that no result shows, such as a set-up that threw.
  if (ended === PASSED || second.size > 0 || !verdict.ok) return verdict;
  const lines = [...verdict.lines, `vitest ended with ${ended}`];
  return { ...verdict, ok: false, failed: verdict.failed + 1, lines };
}

/** Reporters of the caller's own take the place of the one that writes results. */
function withoutResults({ args }: TestRun, ended: string): Verdict {
  const ok = ended === PASSED && args.some((arg) => arg.startsWith('--reporter'));
  const lines = [`vitest ended with ${ended} and left no results to count`];
  return { ok, passed: 0, failed: ok ? 0 : 1, skipped: 0, unsteady: [], lines };
}

/** How vitest ended, as an exit code or the name of a signal. */
type Ended = { ended: string; results: TestResults | null };

function runVitest({ root, isGate }: TestRun, args: readonly string[]): Promise<Ended> {
  const folder = mkdtempSync(join(tmpdir(), 'switchyard-results-'));
  const path = join(folder, 'results.json');
  const child = spawn(process.execPath, [VITEST, 'run', '--root', root, ...args], {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { ...process.env, [RESULTS_VARIABLE]: path, [GATE_VARIABLE]: isGate ? '1' : '' },
  });
  let isInterrupted = false;
  const passOn = (signal: NodeJS.Signals) => {
    isInterrupted = true;
    child.kill(signal);
  };
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  for (const signal of signals) process.on(signal, passOn);
  return new Promise<Ended>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code, signal) => {
      if (isInterrupted) reject(new RunInterruptedError('the run was interrupted'));
      else resolve({ ended: signal ?? `exit code ${code}`, results: read(path) });
    });
  }).finally(() => {
    for (const signal of signals) process.off(signal, passOn);
    rmSync(folder, { recursive: true, force: true });
  });
}

function read(path: string): TestResults | null {
  return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as TestResults) : null;
}

function keepUnsteady(root: string, unsteady: readonly Unsteady[]): void {
  if (unsteady.length === 0) return;
  const { stdout } = spawnSync('git', ['-C', root, 'rev-parse', '--short', 'HEAD'], {
    encoding: 'utf8',
    timeout: 10_000,
  });
  const commit = stdout?.trim() || 'no commit';
  const at = new Date().toISOString();
  const lines = unsteady.map(({ file, firstError }) => `${at} ${commit} ${file}: ${firstError}\n`);
  appendFileSync(join(root, UNSTEADY_LOG), lines.join(''));
}
