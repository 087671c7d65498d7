import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { runTests, UNSTEADY_LOG } from './run-tests.ts';

// Each test runs a whole vitest, or two.
vi.setConfig({ testTimeout: 120_000 });

const reporter = join(import.meta.dirname, 'results-reporter.ts');
const passing = "it('passes', () => {});\n";
const failing = "it('fails', () => { throw new Error('no'); });\n";
/** Fails while its folder has no mark of an earlier run. */
const failsOnce = `import { existsSync, writeFileSync } from 'node:fs';
it('fails at first', () => {
  const mark = new URL('./mark', import.meta.url);
  if (existsSync(mark)) return;
  writeFileSync(mark, '');
  throw new Error('not yet');
});
`;

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'switchyard-planted-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Runs one planted file as a run of its own. */
function run(test: string, options: { repeats?: boolean; args?: string[] } = {}) {
  const { repeats = true, args = [] } = options;
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  writeFileSync(join(folder, 'planted.test.ts'), test);
  writeFileSync(
    join(folder, 'vitest.config.ts'),
    `import ResultsReporter from '${reporter}';
     const lines = { missing: [], notices: ['nothing is missing'] };
     export default { test: { globals: true, reporters: [new ResultsReporter(() => lines)] } };`,
  );
  return runTests({ root: folder, args, isGate: false, repeats, requiresAll: false });
}

it('counts what passed, failed and was skipped', async () => {
  const verdict = await run(`${passing}${failing}it.skip('waits', () => {});`);
  expect(verdict).toMatchObject({ ok: false, passed: 1, failed: 1, skipped: 1 });
  expect(verdict.lines).toEqual(['failed: planted.test.ts: no', 'nothing is missing']);
});

it('counts a file that does not load as a failure', async () => {
  expect(await run("throw new Error('no');")).toMatchObject({ ok: false, passed: 0, failed: 1 });
});

it('counts an error outside every test', async () => {
  const stray = "it('leaves one behind', () => { void Promise.reject(new Error('stray')); });";
  expect(await run(stray)).toMatchObject({ ok: false, passed: 1, failed: 1 });
});

it('fails when it executed nothing', async () => {
  expect(await run("it.skip('waits', () => {});")).toMatchObject({ ok: false, passed: 0 });
});

it('looks once more at what failed, and keeps a list of what then passed', async () => {
  const verdict = await run(`${passing}${failsOnce}`);
  expect(verdict).toMatchObject({ ok: true, passed: 2, failed: 0 });
  expect(verdict.lines).toContain('unsteady: planted.test.ts: not yet');
  const log = readFileSync(join(folder, UNSTEADY_LOG), 'utf8');
  expect(log).toMatch(/^\S+Z .* planted\.test\.ts: not yet\n$/);
});

it('looks once only where it is told to', async () => {
  expect(await run(failsOnce, { repeats: false })).toMatchObject({ ok: false, failed: 1 });
});

it('goes by the exit code where the caller chose a reporter', async () => {
  const args = ['--reporter=dot'];
  expect(await run(passing, { args })).toMatchObject({ ok: true, failed: 0 });
  expect(await run(failing, { args })).toMatchObject({ ok: false, failed: 1 });
});
