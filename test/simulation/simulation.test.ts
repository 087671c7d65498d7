import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { MUTATIONS, patchesOf } from '../support/simulation/mutations.ts';
import { PatchedTrees } from '../support/simulation/patched-tree.ts';
import { GATE_VARIABLE } from '../support/suites/test-results.ts';

const SIMULATE = join(import.meta.dirname, 'simulate.ts');
/** About half a second of processor time a seed; the gate sees some dozens. */
const SEEDS = process.env[GATE_VARIABLE] === '1' ? 40 : 200;
const SEEDS_TIMEOUT_MS = 900_000;

type Run = { code: number; output: string };

/** As by `npm run simulate`: the seeds are run in processes of their own. */
async function simulate(...args: string[]): Promise<Run> {
  const run = promisify(execFile);
  const argv = ['--disable-warning=ExperimentalWarning', SIMULATE, ...args];
  try {
    const { stdout } = await run(process.execPath, argv, {
      timeout: SEEDS_TIMEOUT_MS,
      maxBuffer: 64 * 1024 * 1024,
    });
    return { code: 0, output: stdout };
  } catch (error) {
    const { code, stdout, stderr } = error as { code?: number; stdout?: string; stderr?: string };
    return { code: code ?? 1, output: `${stdout ?? ''}${stderr ?? ''}` };
  }
}

describe('the simulated installation', () => {
  it('keeps every invariant over seeds of faults', { timeout: SEEDS_TIMEOUT_MS }, async () => {
    const { code, output } = await simulate('--seeds', String(SEEDS));
    expect(output).toMatch(new RegExp(`^${SEEDS} seeds, .*: 0 seeds broke an invariant`, 'm'));
    expect(code, output.slice(-4_000)).toBe(0);
  });

  it('runs a seed the same way every time', { timeout: 180_000 }, async () => {
    const traces = await Promise.all([simulate('--seed', '7'), simulate('--seed', '7')]);
    const hashes = traces.map(({ output }) => /seed 7 trace ([0-9a-f]{8})/.exec(output)?.[1]);
    expect(hashes[0]).toMatch(/^[0-9a-f]{8}$/);
    expect(hashes[1]).toBe(hashes[0]);
  });

  it(
    'notices a rule that is taken out, and says how to see it again',
    { timeout: 300_000 },
    async () => {
      const { code, output } = await simulate('--mutation', 'ack-after-commit', '--seeds', '12');
      expect(code).toBe(1);
      expect(output).toMatch(/seed \d+ broke: \w+/);
      expect(output).toMatch(
        /replay: npm run simulate -- --seed \d+ --mutation ack-after-commit --verbose/,
      );
    },
  );

  it('finds every statement that a rule is taken out by', () => {
    const folder = mkdtempSync(join(tmpdir(), 'switchyard-patched-'));
    try {
      const trees = new PatchedTrees(folder);
      for (const mutation of MUTATIONS) {
        const root = trees.rootOf(patchesOf(mutation));
        for (const { module, to } of patchesOf(mutation))
          expect(readFileSync(join(root, module), 'utf8'), mutation.name).toContain(to);
      }
      const missing = { module: 'runner/src/main.ts', from: 'no such statement', to: '' };
      expect(() => trees.rootOf([missing])).toThrow(
        'runner/src/main.ts has no "no such statement"',
      );
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it('refuses flags it does not know', async () => {
    const { code, output } = await simulate('--seeds', 'many');
    expect(code).toBe(2);
    expect(output).toContain('usage: npm run simulate');
  });
});
