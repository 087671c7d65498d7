import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { Command } from 'commander';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { commandList } from '../../control-plane/cli/command-list.ts';
import type { CommandContext } from '../../control-plane/cli/options/command-context.ts';
import { fixFailingTest } from '../../control-plane/scripted-provider/ready-scripts.ts';
import { type Bench, startBench } from '../support/e2e/start-bench.ts';
import { nodeCommand, repositoryRoot } from '../support/e2e/start-service.ts';
import { type Ended, switchyard } from '../support/e2e/switchyard.ts';

const START_TIMEOUT_MS = 180_000;
/** Nothing listens on it: ports below 1024 are the system's. */
const NOBODY = ['--url', 'http://127.0.0.1:9'];
/** Node and a library warn in each process. */
const WARNS = { NODE_OPTIONS: '--import data:text/javascript,process.emitWarning(%22beware%22)' };

let bench: Bench;
let folder: string;
let commands: string[];
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'swy-json-'));
  bench = await startBench({ script: fixFailingTest() });
  await bench.client.createIssue({ title: 'Durations come out wrong' });
  await bench.client.settled('SY-1');
  commands = [...(await ownCommands()), ...(await runnerCommands())];
}, START_TIMEOUT_MS);
afterAll(async () => {
  await bench?.close();
  await rm(folder, { recursive: true, force: true, maxRetries: 3 });
});

/** Every command with `--json` by its words, as the command line itself knows them. */
async function ownCommands(): Promise<string[]> {
  const program = new Command();
  for (const { load } of commandList) (await load())(program, {} as CommandContext);
  const leaves = (command: Command, words: string[]): string[] => [
    ...(command.options.some(({ long }) => long === '--json') ? [words.join(' ')] : []),
    ...command.commands.flatMap((inner) => leaves(inner, [...words, inner.name()])),
  ];
  return leaves(program, []);
}

/** The runner program has its own; its help names them. */
async function runnerCommands(words: string[] = ['runner']): Promise<string[]> {
  const { stdout } = await switchyard([...words, '--help'], folder);
  const names = [...(stdout.split('Commands:')[1] ?? '').matchAll(/^ {2}([a-z-]+)/gm)];
  const inner = names.map(([, name = '']) => name).filter((name) => name !== 'help');
  const deeper = await Promise.all(inner.map((name) => runnerCommands([...words, name])));
  return [...(stdout.includes('--json') ? [words.join(' ')] : []), ...deeper.flat()];
}

/** The one document; fails where anything else stands on either stream. */
function documentOf(ended: Ended): Record<string, unknown> {
  expect(ended.stderr).toBe('');
  expect(ended.stdout).toMatch(/^.+\n$/);
  return JSON.parse(ended.stdout) as Record<string, unknown>;
}

const errorWith = (code: number) => ({ error: expect.any(String), exitCode: code });

describe('with --json', () => {
  it('every command refuses wrong use in JSON', async () => {
    expect(commands.length).toBeGreaterThan(25);
    for (const command of commands) {
      const ended = await switchyard([...command.split(' '), '--json', '--nonsense'], folder);
      expect(ended.code, command).toBe(2);
      expect(documentOf(ended), command).toEqual(errorWith(2));
    }
  }, 600_000);

  it('every command that asks a service says in JSON that there is none', async () => {
    const asking = [
      'issue create x',
      'issue list',
      'issue show SY-1',
      'issue retry SY-1',
      'issue stop SY-1',
      'logs SY-1',
      'logs -f SY-1',
      'config get',
      'config set agent.maxTurns 3',
      'webhooks dead',
      'webhooks show 1',
      'webhooks replay 1',
      'sign-out',
      'open',
    ];
    for (const command of asking) {
      const ended = await switchyard([...command.split(' '), '--json', ...NOBODY], folder, WARNS);
      expect(ended.code, command).toBe(1);
      const { error } = documentOf(withoutPreload(ended));
      expect(error, command).toContain('switchyard start');
    }
  }, 300_000);

  it.each([
    ['issue', 'list'],
    ['issue', 'show', 'SY-1'],
    ['issue', 'create', 'Another one', '--state', 'Backlog'],
    ['config', 'get'],
    ['config', 'set', 'agent.maxTurns', '30'],
    ['webhooks', 'dead'],
    ['backup'],
  ])('%s %s %s … prints its answer alone', async (...args) => {
    const ended = await switchyard([...args, '--json', '--url', bench.client.url], folder);
    expect(ended.code, ended.stdout).toBe(0);
    documentOf(ended);
  });

  it('logs prints one document a line, and none where there is nothing', async () => {
    const args = ['logs', 'SY-1', '--json', '--url', bench.client.url];
    const ended = await switchyard(args, folder);
    expect(ended).toMatchObject({ code: 0, stderr: '' });
    for (const line of ended.stdout.trim().split('\n')) JSON.parse(line);
    const none = await bench.client.createIssue({ title: 'Later', state: 'Backlog' });
    const empty = ['logs', none.identifier, '--json', '--url', bench.client.url];
    expect(await switchyard(empty, folder)).toEqual({ code: 0, stdout: '', stderr: '' });
  });

  it('a refusal of the service is in JSON', async () => {
    const args = ['issue', 'show', 'SY-99', '--json', '--url', bench.client.url];
    const ended = await switchyard(args, folder);
    expect(ended.code).toBe(1);
    expect(documentOf(ended)).toMatchObject({ error: expect.stringContaining('SY-99 not found') });
  });

  it.each([
    [['doctor', ...NOBODY], 0],
    [['config', 'validate'], 0],
    [['engine', 'list'], 0],
    [['runner', 'engine', 'list'], 0],
    [['runner', 'check'], 0],
    [['runner', 'caches'], 0],
    [['upgrade', ...NOBODY], 0],
    [['runner', 'build-image'], 3],
    [['engine', 'install', 'no-such-engine'], 2],
    [['engine', 'check', 'no-such-engine'], 3],
    [['backup', ...NOBODY], 3],
    [['backup', '--restore', 'missing.db', ...NOBODY], 1],
    [['data', 'export', '--remote', 'http://127.0.0.1:9'], 3],
    [['deploy', '--migrate-only'], 3],
    [['runner', 'join', 'http://127.0.0.1:9', '--token', 'enr_x'], 1],
    [['start', '--host', '0.0.0.0', '--no-runner'], 1],
    [['demo', '--engine', 'no-such-engine'], 2],
    [['edge', 'dev', '--database', 'nonsense'], 2],
  ])(
    '%j without a service ends with %i',
    async (args, code) => {
      const own = ['config', 'engine', 'runner'].includes(args[0] ?? '') && args[1] !== 'check';
      const isRunner = args[0] === 'runner' && ['check', 'caches', 'join'].includes(args[1] ?? '');
      const dataDir = own && !isRunner ? [] : args[0] === 'engine' ? [] : ['--data-dir', folder];
      const env = {
        DOCKER_HOST: 'unix:///nonexistent/docker.sock',
        SERVICE_DATABASE_URL: '',
        SERVICE_WRITE_TOKEN: '',
      };
      const ended = await switchyard([...args, '--json', ...dataDir], folder, env);
      const document = documentOf(ended);
      expect(ended.code, ended.stdout).toBe(code);
      expect(document).toMatchObject(code === 0 ? {} : errorWith(code));
    },
    120_000,
  );

  it('start serves without a word but its address, and ends so', async () => {
    const [node, ...first] = nodeCommand;
    const flags = ['--json', '--port', '0', '--no-open', '--sandbox', 'process'];
    const child = spawn(node, [...first, 'start', ...flags, '--data-dir', join(folder, 'served')], {
      cwd: folder,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, LOG_LEVEL: '', SERVICE_LOG_FORMAT: '' },
    });
    const said = Promise.all([text(child.stdout), text(child.stderr)]);
    const [line] = (await once(child.stdout, 'data')) as [Buffer];
    const { url } = JSON.parse(line.toString()) as { url: string };
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
    child.kill('SIGTERM');
    const [out, err] = await said;
    expect(err).toBe('');
    expect(Object.keys(JSON.parse(out) as object)).toEqual(['url', 'dataDir']);
  });

  it('the demo prints its result alone', async () => {
    const flags = ['--once', '--json', '--port', '0', '--no-open', '--sandbox', 'process'];
    const ended = await switchyard(['demo', ...flags], folder, WARNS);
    expect(documentOf(withoutPreload(ended))).toMatchObject({ issue: { status: 'completed' } });
  });

  it('a script of the checkout says nothing of what it installs or builds first', async () => {
    const bootstrap = join(repositoryRoot, 'control-plane/cli/bootstrap.mjs');
    const child = spawn(process.execPath, [bootstrap, 'config', 'validate', '--json'], {
      cwd: folder,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
    expect(documentOf({ code: 0, stdout, stderr })).toMatchObject({ ok: true });
  });
});

/** The warning of the preloaded module itself comes before any program of ours. */
function withoutPreload(ended: Ended): Ended {
  const own = /^\(node:\d+\) Warning: beware\n\(Use `node --trace-warnings .*\n/;
  return { ...ended, stderr: ended.stderr.replace(own, '') };
}
