import { readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildCommit } from '../../control-plane/cli/build/build-commit.mjs';
import { builtDashboard } from '../support/browser/built-dashboard.ts';
import { repositoryRoot } from '../support/e2e/start-service.ts';
import { type InstalledPackage, installPackage } from '../support/package/installed-package.ts';

const INSTALL_TIMEOUT_MS = 420_000;
/** Nobody listens there. */
const NO_DAEMON = { DOCKER_HOST: 'unix:///nonexistent/docker.sock' };

describe('the package, installed with npm', () => {
  let installed: InstalledPackage;
  beforeAll(async () => {
    await builtDashboard();
    installed = await installPackage();
  }, INSTALL_TIMEOUT_MS);
  afterAll(() => installed.remove());

  it('has the version and the commit of the checkout and lists its commands', async () => {
    const { version } = JSON.parse(await readFile(join(repositoryRoot, 'package.json'), 'utf8'));
    const [commit = ''] = buildCommit(repositoryRoot).split('.');
    const told = await installed.run(['--version']);
    expect(told.code).toBe(0);
    // Whether files differed is of the moment of the build.
    expect(told.stdout.replace(/(\.dirty)?\n$/, '')).toBe(
      commit === '' ? version : `${version}+${commit}`,
    );
    const help = await installed.run(['--help']);
    for (const name of ['start', 'demo', 'runner', 'doctor', 'issue', 'backup', 'deploy']) {
      expect(help.stdout).toMatch(new RegExp(`^  ${name}\\b`, 'm'));
    }
  });

  it('brings an issue to a pull request where nothing else is installed', async () => {
    const flags = ['--once', '--json', '--port', '0', '--no-open', '--sandbox', 'process'];
    const ended = await installed.run(['demo', ...flags], NO_DAEMON);
    expect(ended.code, ended.stderr).toBe(0);
    expect(JSON.parse(ended.stdout)).toMatchObject({
      issue: { status: 'completed' },
      pullRequest: { diffStat: { files: 1 } },
      sandbox: 'process',
    });
  });

  it('names its own command where it says what to do', async () => {
    const ended = await installed.run(['issue', 'list', '--url', 'http://127.0.0.1:9']);
    expect(ended.code).toBe(1);
    expect(ended.stderr).toContain('"switchyard start"');
  });

  it('says which native part is missing, and what to do', async () => {
    const native = join(installed.folder, 'node_modules/@libsql');
    await rename(native, `${native}-away`);
    try {
      const flags = ['--port', '0', '--no-open', '--no-runner'];
      const ended = await installed.run(['start', ...flags], NO_DAEMON);
      expect(ended).toMatchObject({ code: 3, stdout: '' });
      expect(ended.stderr.trim().split('\n')).toEqual([
        expect.stringMatching(/@libsql\/\S+ is not installed.*--omit=optional/),
      ]);
    } finally {
      await rename(`${native}-away`, native);
    }
  });

  it('says that the engine is missing where agents would need it', async () => {
    const engine = join(installed.folder, 'node_modules/@openai');
    await rename(engine, `${engine}-away`);
    try {
      const flags = ['--once', '--port', '0', '--no-open', '--sandbox', 'process'];
      const ended = await installed.run(['demo', ...flags], NO_DAEMON);
      expect(ended.code, ended.stderr).toBe(3);
      expect(ended.stderr).toMatch(/agent engine.*--omit=optional/);
    } finally {
      await rename(`${engine}-away`, engine);
    }
  });
});
