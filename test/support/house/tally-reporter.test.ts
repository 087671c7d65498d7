import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

// Each test runs a whole vitest, which takes long on a busy machine.
vi.setConfig({ testTimeout: 60_000 });

const root = join(import.meta.dirname, '../../..');
const vitest = join(root, 'node_modules/vitest/vitest.mjs');
const reporter = join(import.meta.dirname, 'tally-reporter.ts');

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'switchyard-tally-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Runs vitest on one planted file; answers its exit code and last line. */
function run(test: string, options: { missing?: string[]; requireAll?: boolean } = {}) {
  const missing = JSON.stringify(options.missing ?? []);
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  writeFileSync(join(folder, 'planted.test.ts'), test);
  writeFileSync(
    join(folder, 'vitest.config.ts'),
    `import TallyReporter from '${reporter}';
     export default { test: { globals: true, reporters: ['default', new TallyReporter(${missing})] } };`,
  );
  const { status, stdout } = spawnSync(process.execPath, [vitest, 'run', '--root', folder], {
    env: { ...process.env, SWITCHYARD_REQUIRE_ALL: options.requireAll ? '1' : '', NO_COLOR: '1' },
    encoding: 'utf8',
    timeout: 50_000,
  });
  return { status, last: stdout.trimEnd().split('\n').at(-1), stdout };
}

const passing = "it('passes', () => {});\n";

describe('the last line of a run', () => {
  it('counts what passed, failed and was skipped', () => {
    const failing = "it('fails', () => { throw new Error('no'); });\n";
    const result = run(`${passing}${failing}it.skip('waits', () => {});`);
    expect(result).toMatchObject({ status: 1, last: '1 passed, 1 failed, 1 skipped' });
  });

  it('says nothing of skipped tests where there are none', () => {
    expect(run(passing)).toMatchObject({ status: 0, last: '1 passed, 0 failed' });
  });

  it('counts a file that does not load as a failure', () => {
    expect(run("throw new Error('no');")).toMatchObject({ status: 1, last: '0 passed, 1 failed' });
  });

  it('counts an error outside every test', () => {
    const stray = "it('leaves one behind', () => { void Promise.reject(new Error('stray')); });";
    expect(run(stray)).toMatchObject({ status: 1, last: '1 passed, 1 failed' });
  });

  it('fails a run that executed nothing', () => {
    expect(run("it.skip('waits', () => {});")).toMatchObject({
      status: 1,
      last: '0 passed, 0 failed, 1 skipped',
    });
  });
});

describe('a part that the machine lacks', () => {
  const missing = ['docker tests skipped: no daemon'];

  it('is named in a line and fails nothing', () => {
    const result = run(passing, { missing });
    expect(result).toMatchObject({ status: 0, last: '1 passed, 0 failed' });
    expect(result.stdout.split('\n')).toContain('docker tests skipped: no daemon');
  });

  it('fails the run where every part is required', () => {
    const result = run(passing, { missing, requireAll: true });
    expect(result).toMatchObject({ status: 1, last: '1 passed, 1 failed' });
  });

  it('fails the run where every part is required and a test skipped itself', () => {
    const result = run(`${passing}it.skip('waits', () => {});`, { requireAll: true });
    expect(result).toMatchObject({ status: 1, last: '1 passed, 1 failed' });
    expect(result.stdout).toContain('skipped: planted.test.ts > waits');
  });
});
