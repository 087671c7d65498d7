import { existsSync, globSync } from 'node:fs';
import { readFile, rename } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildCommit } from '../../control-plane/cli/build/build-commit.mjs';
import { fixFailingTest } from '../../control-plane/scripted-provider/ready-scripts.ts';
import { builtDashboard } from '../support/browser/built-dashboard.ts';
import { shellCommands } from '../support/docs/shell-commands.ts';
import { startBench } from '../support/e2e/start-bench.ts';
import { repositoryRoot } from '../support/e2e/start-service.ts';
import { bytesUnder } from '../support/package/bytes-under.ts';
import { type InstalledPackage, installPackage } from '../support/package/installed-package.ts';
import { runPackageReadme } from '../support/package/run-package-readme.ts';

const INSTALL_TIMEOUT_MS = 420_000;
/** Nobody listens there. */
const NO_DAEMON = { DOCKER_HOST: 'unix:///nonexistent/docker.sock' };
const NO_REGISTRY = { npm_config_registry: 'http://127.0.0.1:9/', npm_config_fetch_retries: '0' };
const ONCE = ['--once', '--json', '--port', '0', '--no-open', '--sandbox', 'process'];

describe('the package, installed with npm', () => {
  let installed: InstalledPackage;
  let archives = '';
  beforeAll(async () => {
    await builtDashboard();
    installed = await installPackage();
    archives = join(installed.prefix, 'archives');
    // With this user's own settings and cache of npm; everything after it asks no network.
    const own = { HOME: homedir(), npm_config_prefer_offline: 'true' };
    const fetched = await installed.run(['engine', 'download', 'codex', archives], own);
    expect(fetched.code, fetched.stderr).toBe(0);
  }, INSTALL_TIMEOUT_MS);
  afterAll(() => installed?.remove());

  const offline = (engines: string) => ({
    ...NO_DAEMON,
    ...NO_REGISTRY,
    SWITCHYARD_ENGINE_ARCHIVES: archives,
    SWITCHYARD_ENGINES: join(installed.prefix, engines),
  });

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

  it('is smaller than 60 MB, with everything that npm installs for it', async () => {
    expect(await bytesUnder(join(installed.prefix, 'lib'))).toBeLessThan(60_000_000);
  });

  it('has a README of its own, whose links lead to what is there', async () => {
    const text = await readFile(join(installed.folder, 'README.md'), 'utf8');
    const links = [...text.matchAll(/\]\(([^)\s]+)\)|<(https?:[^>]+)>/g)].map(
      ([, relative, absolute]) => relative ?? absolute ?? '',
    );
    expect(links).toContain('LICENSE');
    const dead = links.filter((link) =>
      /^\w+:/.test(link)
        ? new URL(link).hostname !== '127.0.0.1'
        : !existsSync(join(installed.folder, link)),
    );
    expect(dead).toEqual([]);
    const commands = shellCommands('README.md', installed.folder).map((command) => command.text);
    expect(commands.filter((command) => /\bnpm\b/.test(command))).toEqual([]);
    expect(commands.some((command) => command.endsWith('switchyard start'))).toBe(true);
  });

  it('lists what is in it and what npm installs for it, and no agent engine', async () => {
    const read = (file: string) => readFile(join(installed.folder, file), 'utf8');
    const { metadata, components } = JSON.parse(await read('sbom.cdx.json')) as {
      metadata: { component: { purl: string } };
      components: { name: string; version: string; licenses: { expression: string }[] }[];
    };
    const { version } = JSON.parse(await read('package.json'));
    expect(metadata.component.purl).toBe(`pkg:npm/%40switchyard/switchyard@${version}`);
    const listed = components.map((part) => `${part.name} ${part.version}`);
    expect(listed).toEqual([...new Set(listed)]);
    const licences = await read('THIRD-PARTY-LICENSES.txt');
    const contained = [...licences.matchAll(/^={80}\n(.*) \((.*)\)$/gm)];
    // Of the service, of runners, of the dashboard and of its worker.
    for (const name of ['hono', 'dockerode', 'preact', 'refractor']) {
      expect(contained.map(([, part = '']) => part.split(' ')[0])).toContain(name);
    }
    expect(
      contained.map(([, part]) => part).filter((part) => !listed.includes(part ?? '')),
    ).toEqual([]);
    const below = join(installed.folder, 'node_modules');
    const beside = globSync(['*/package.json', '@*/*/package.json'], { cwd: below });
    expect(beside.length).toBeGreaterThan(2);
    const names = components.map(({ name }) => name);
    expect(beside.filter((path) => !names.includes(dirname(path)))).toEqual([]);
    expect(names.filter((name) => /codex|claude|opencode|vitest|typescript/.test(name))).toEqual(
      [],
    );
  });

  it('does what its README says, command by command', async () => {
    const given = { archives, env: offline('engines-of-readme') };
    expect((await runPackageReadme(installed, given)).length).toBeGreaterThan(8);
  }, 400_000);

  it('says what to do where the engine cannot be fetched', async () => {
    const env = { ...NO_DAEMON, ...NO_REGISTRY };
    const ended = await installed.run(['demo', ...ONCE], env);
    expect(ended.code, ended.stderr).toBe(1);
    const { error } = JSON.parse(ended.stdout);
    expect(error).toMatch(/registry cannot be reached \(ECONNREFUSED\)/);
    expect(error).toMatch(/engine download codex FOLDER --platform .*--from FOLDER/);
  });

  it('brings an issue to a pull request where nothing else is installed', async () => {
    const ended = await installed.run(['demo', ...ONCE], offline('engines'));
    expect(ended.code, ended.stderr).toBe(0);
    expect(ended.stderr).toBe('');
    expect(JSON.parse(ended.stdout)).toMatchObject({
      issue: { status: 'completed' },
      pullRequest: { diffStat: { files: 1 } },
      sandbox: 'process',
    });
  });

  it('fetches the engine that the settings name when an issue first needs it', async () => {
    const bench = await startBench({
      script: fixFailingTest(),
      env: offline('engines-of-start'),
      command: [installed.command, 'start'],
    });
    try {
      const engines = async () => (await bench.client.runners())[0]?.engines ?? [];
      expect(await engines()).toContainEqual(
        expect.objectContaining({ name: 'codex', state: 'fetchable' }),
      );
      const { identifier } = await bench.client.createIssue({ title: 'Fix the failing test' });
      const issue = await bench.client.settled(identifier);
      expect(issue, bench.service.output()).toMatchObject({ status: 'completed' });
      expect(issue.attempts).toHaveLength(1);
      expect(bench.service.output()).toMatch(/agent engine.*installing Codex/);
      const codex = (await engines()).find(({ name }) => name === 'codex');
      expect(codex).not.toHaveProperty('state');
    } finally {
      await bench.close();
    }
  }, 400_000);

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
});
