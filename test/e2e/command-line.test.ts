import { spawn } from 'node:child_process';
import { chmod, mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fixFailingTest } from '../../control-plane/scripted-provider/ready-scripts.ts';
import { blocked, byPrompt } from '../support/scripted-model/scripts.ts';
import { type Bench, startBench } from '../support/e2e/start-bench.ts';
import { nodeCommand, startService } from '../support/e2e/start-service.ts';
import { switchyard } from '../support/e2e/switchyard.ts';

const EXIT = { done: 0, failed: 1, usage: 2, notConfigured: 3 };
/** Nothing listens on it: ports below 1024 are the system's. */
const NOBODY = ['--url', 'http://127.0.0.1:9'];

describe('commands for a running service', () => {
  let bench: Bench;
  let folder: string;
  beforeAll(async () => {
    const scripts = [{ match: 'case:blocked', script: blocked }];
    bench = await startBench({ script: byPrompt(scripts, fixFailingTest()) });
    folder = bench.folder;
  });
  afterAll(() => bench?.close());

  const run = (...args: string[]) => switchyard([...args, '--url', bench.client.url], folder);
  const json = async (...args: string[]) => {
    const ended = await run(...args, '--json');
    expect(ended.code, ended.stderr).toBe(EXIT.done);
    return JSON.parse(ended.stdout);
  };

  it('files an issue, follows it to its end and shows it', async () => {
    const made = await run('issue', 'create', 'Durations come out wrong', '--priority', '2');
    expect(made.stdout).toBe('SY-1 Durations come out wrong\n');
    const followed = await run('logs', '-f', 'SY-1');
    expect(followed.code, followed.stderr).toBe(EXIT.done);
    expect(followed.stdout).toContain('$ ');
    expect(followed.stdout).toContain('formatDuration` counted units');
    expect(followed.stdout).toContain('* issue completed');
    const shown = await run('issue', 'show', 'SY-1');
    expect(shown.stdout).toMatch(/status +completed/);
    expect(shown.stdout).toContain('review ');
    expect(await json('issue', 'show', 'SY-1')).toMatchObject({
      priority: 2,
      attemptCount: 1,
      checks: [],
    });
    const again = await json('logs', 'SY-1').catch((error: unknown) => error);
    expect(again).toBeInstanceOf(SyntaxError);
  });

  it('shows nothing twice when it follows a log that is there already', async () => {
    const once = (await run('logs', 'SY-1', '--json')).stdout.trim().split('\n');
    const sequence = once.map((line) => Number(JSON.parse(line).seq));
    expect(sequence).toEqual([...new Set(sequence)].toSorted((a, b) => a - b));
    const followed = (await run('logs', '-f', 'SY-1', '--json')).stdout.trim().split('\n');
    expect(followed.map((line) => JSON.parse(line).seq)).toEqual(sequence);
  });

  it('lists issues by status, and retries one that gave up', async () => {
    await run('issue', 'create', 'case:blocked');
    await bench.client.settled('SY-2');
    const list = await run('issue', 'list', '--status', 'blocked');
    expect(list.stdout).toMatch(/^ISSUE .*\nSY-2 +blocked/);
    expect((await json('issue', 'list')).issues).toHaveLength(2);
    const needing = await run('issue', 'list', '--needs-person');
    expect(needing.stdout).toMatch(/^ISSUE .*\nSY-2 +stopped +case:blocked +the agent is blocked/);
    expect(await json('issue', 'list', '--needs-person')).toMatchObject({
      total: 2,
      issues: [{ identifier: 'SY-2' }, { identifier: 'SY-1', needs: ['review'] }],
    });
    const both = await run('issue', 'list', '--needs-person', '--status', 'failed');
    expect(both.code).toBe(EXIT.usage);
    expect(await json('issue', 'retry', 'SY-2')).toMatchObject({ ok: true });
    expect(await bench.client.settled('SY-2')).toMatchObject({ attemptCount: 2 });
  });

  it('stops, also by the name of the API, and says so when there is nothing to stop', async () => {
    await bench.client.must('POST', '/pause', { reason: 'test' });
    await run('issue', 'create', 'Waits');
    expect(await json('issue', 'stop', 'SY-3')).toMatchObject({ status: 'stopping' });
    await bench.client.must('POST', '/resume');
    const twice = await run('issue', 'abort', 'SY-1');
    expect(twice.code).toBe(EXIT.failed);
    expect(twice.stderr).toMatch(/^switchyard: .+/);
    expect((await run('issue', 'publish', 'SY-3')).code).toBe(EXIT.failed);
    expect((await run('issue', 'show', 'SY-99')).stderr).toContain('SY-99 not found');
  });

  it('reads and sets the configuration', async () => {
    expect((await run('config', 'set', 'agent.maxTurns', '7')).stdout).toBe(
      'agent.maxTurns is set\n',
    );
    expect((await run('config', 'get', 'agent.maxTurns')).stdout).toBe('7\n');
    expect((await run('config', 'get')).stdout).toContain('maxTurns: 7');
    const refused = await run('config', 'set', 'agent.maxTurnz', '7');
    expect(refused).toMatchObject({ code: EXIT.failed });
    expect(refused.stderr).toContain('agent.maxTurnz');
    expect((await run('config', 'get', 'agent.nothing')).code).toBe(EXIT.usage);
    const audit = await bench.client.must<{ entries: { source: string; operation: string }[] }>(
      'GET',
      '/audit?limit=50',
    );
    const changes = audit.entries.filter(({ operation }) => operation.startsWith('config.'));
    expect(changes.map(({ source }) => source)).toContain('CLI');
  });

  it('takes a backup while everything runs, which opens elsewhere with all there was', async () => {
    const backup = await json('backup');
    expect((await stat(backup.path)).size).toBe(backup.bytes);
    const elsewhere = join(folder, 'elsewhere');
    await mkdir(elsewhere);
    const restored = await switchyard(
      ['backup', '--restore', backup.path, '--data-dir', elsewhere, '--json'],
      folder,
    );
    expect(restored.code, restored.stderr).toBe(EXIT.done);
    expect(JSON.parse(restored.stdout)).toMatchObject({ movedTo: null });
    const refused = await switchyard(
      ['backup', '--restore', backup.path, '--data-dir', bench.service.dataDir],
      folder,
    );
    expect(refused.code).toBe(EXIT.failed);
    expect(refused.stderr).toContain('is in use by switchyard start (');
    const second = await startCopy(elsewhere);
    expect(await second.issue('SY-1')).toMatchObject({ title: 'Durations come out wrong' });
    await second.stop();
  });

  /** Serves a restored folder just long enough to look into it. */
  async function startCopy(dataDir: string) {
    const [node, ...first] = nodeCommand;
    const flags = ['--port', '0', '--no-open', '--no-runner', '--data-dir', dataDir];
    const child = spawn(node, [...first, 'start', ...flags], {
      cwd: dataDir,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const url = await new Promise<string>((resolve, reject) => {
      child.once('exit', () => reject(new Error('the copy did not start')));
      child.stdout.on('data', (bytes: Buffer) => {
        const ready = /^ready (\S+)$/m.exec(bytes.toString())?.[1];
        if (ready !== undefined) resolve(ready);
      });
    });
    return {
      issue: async (id: string) => (await fetch(`${url}/api/v1/${id}`)).json(),
      stop: () =>
        new Promise<void>((resolve) => {
          child.once('exit', () => resolve());
          child.kill('SIGTERM');
        }),
    };
  }

  it('ends a log that is followed with 130 on Ctrl-C', async () => {
    await bench.client.must('POST', '/pause', { reason: 'test' });
    const { identifier } = await bench.client.createIssue({ title: 'Waits for ever' });
    const [node, ...first] = nodeCommand;
    const child = spawn(
      node,
      [...first, 'logs', '-f', identifier, '--json', '--url', bench.client.url],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    );
    const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
    await new Promise<void>((resolve) => {
      child.stdout.once('data', () => resolve());
      void bench.client.must('PATCH', `/local/issues/${identifier}`, { priority: 1 });
    });
    child.kill('SIGINT');
    expect(await ended).toBe(130);
    await bench.client.must('POST', '/resume');
  });

  it('is well while the service runs', async () => {
    const ended = await run('doctor', '--data-dir', bench.service.dataDir, '--json');
    expect(ended.code, ended.stdout).toBe(EXIT.done);
    const { findings } = JSON.parse(ended.stdout) as {
      findings: { name: string; status: string }[];
    };
    const status = Object.fromEntries(findings.map((finding) => [finding.name, finding.status]));
    expect(status).toMatchObject({ git: 'ok', service: 'ok', version: 'ok', database: 'ok' });
  });

  it('lists, shows and replays deliveries that could not be processed', async () => {
    expect((await run('webhooks', 'dead')).stdout).toBe('no dead deliveries\n');
    const missing = await run('webhooks', 'show', '7');
    expect(missing).toMatchObject({ code: EXIT.failed });
    expect(missing.stderr).toContain('7 not found');
    expect((await run('webhooks', 'replay', '7')).code).toBe(EXIT.failed);
  });

  it('does not upgrade under a running service', async () => {
    const ended = await run('upgrade', '--no-pull', '--data-dir', bench.service.dataDir);
    expect(ended.code).toBe(EXIT.failed);
    expect(ended.stderr).toContain('stop it');
  });
});

describe('commands without a service', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'swy-e2e-'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it.each([
    [['issue', 'list']],
    [['issue', 'create', 'A title']],
    [['logs', 'SY-1']],
    [['config', 'get']],
  ])('%j says how to start one', async (args) => {
    const ended = await switchyard([...args, ...NOBODY], folder);
    expect(ended).toMatchObject({ code: EXIT.failed, stdout: '' });
    expect(ended.stderr).toContain('switchyard start');
  });

  it.each([
    ['issue', 'create'],
    ['issue', 'list', '--status', 'odd'],
    ['issue', 'create', 'x', '--priority', '9'],
    ['logs'],
    ['config', 'set', 'agent.maxTurns'],
    ['issue', 'list', '--url', 'ftp://host'],
    ['doctor', '--nonsense'],
  ])('%s %s … is wrong use', async (...args) => {
    expect((await switchyard(args, folder)).code).toBe(EXIT.usage);
  });

  it.each(['issue', 'logs', 'config', 'doctor', 'backup', 'upgrade', 'start', 'demo', 'runner'])(
    '%s has help',
    async (name) => {
      const ended = await switchyard([name, '--help'], folder);
      expect(ended).toMatchObject({ code: EXIT.done, stderr: '' });
      expect(ended.stdout).toMatch(/^Usage: /);
    },
  );

  it('checks a base file', async () => {
    const file = join(folder, 'switchyard.yaml');
    await writeFile(file, 'agent:\n  maxTurns: 3\n');
    expect((await switchyard(['config', 'validate', file], folder)).code).toBe(EXIT.done);
    await writeFile(file, 'agent:\n  maxTurns: many\n');
    const bad = await switchyard(['config', 'validate', '--json'], folder);
    expect(bad.code).toBe(EXIT.failed);
    expect(JSON.parse(bad.stdout)).toMatchObject({
      ok: false,
      problems: [{ severity: 'error', message: expect.stringContaining('agent.maxTurns') }],
    });
    await rm(file);
    expect((await switchyard(['config', 'validate', 'gone.yaml'], folder)).code).toBe(EXIT.usage);
  });

  it('mends what it can', async () => {
    const dataDir = join(folder, 'open-to-all');
    await mkdir(dataDir);
    await chmod(dataDir, 0o755);
    const found = await switchyard(['doctor', '--data-dir', dataDir, ...NOBODY], folder);
    expect(found).toMatchObject({ code: EXIT.done, stderr: '' });
    expect(found.stdout).toContain('--fix does it');
    const mended = await switchyard(['doctor', '--fix', '--data-dir', dataDir, ...NOBODY], folder);
    expect(mended.stderr).toContain('only you can read');
    expect((await stat(dataDir)).mode & 0o777).toBe(0o700);
  });

  it('upgrades a stopped service with a copy from before, and names the way back', async () => {
    const dataDir = join(folder, 'stopped for now');
    const service = await startService({ dataDir, args: ['--no-runner'] });
    await service.client.createIssue({ title: 'Kept' });
    await service.stop();
    const flags = ['--no-pull', '--data-dir', dataDir, '--json', ...NOBODY];
    const ended = await switchyard(['upgrade', ...flags], folder);
    expect(ended.code, ended.stderr).toBe(EXIT.done);
    const result = JSON.parse(ended.stdout);
    expect(result.migrations.after).toBe(result.migrations.before);
    expect((await stat(result.backup.path)).size).toBeGreaterThan(0);
    expect(result.wayBack.join('\n')).toContain(
      `--data-dir '${dataDir}' --restore '${result.backup.path}'`,
    );
    await switchyard(['backup', '--restore', result.backup.path, '--data-dir', dataDir], folder);
    const again = await startService({ dataDir, args: ['--no-runner'] });
    expect(await again.client.issue('SY-1')).toMatchObject({ title: 'Kept' });
    await again.stop();
  });

  it('has nothing to back up in an empty folder', async () => {
    const ended = await switchyard(['backup', '--data-dir', folder, ...NOBODY], folder);
    expect(ended.code).toBe(EXIT.notConfigured);
    const damaged = join(folder, 'damaged.db');
    await writeFile(damaged, 'no database at all');
    const restored = await switchyard(
      ['backup', '--restore', damaged, '--data-dir', folder, ...NOBODY],
      folder,
    );
    expect(restored.code).toBe(EXIT.failed);
    expect(restored.stderr).toContain('no backup');
  });

  it('lists every command with a summary, and completes commands and options', async () => {
    const help = await switchyard(['--help'], folder);
    expect(help.stdout).toMatch(/^Start here:\n {2}demo .*pull request/m);
    const completed = async (...words: string[]) =>
      (await switchyard(['complete', '--', ...words], folder)).stdout
        .split('\n')
        .map((line) => line.split('\t')[0]);
    expect(await completed('is')).toContain('issue');
    expect(await completed('issue', '')).toEqual(expect.arrayContaining(['create', 'retry']));
    expect(await completed('logs', '--')).toEqual(expect.arrayContaining(['--follow', '--json']));
    const script = await switchyard(['completion', 'bash'], folder);
    expect(script).toMatchObject({
      code: EXIT.done,
      stdout: expect.stringContaining('switchyard'),
    });
  });

  it('prints its version', async () => {
    expect((await switchyard(['--version'], folder)).stdout).toMatch(
      /^\d+\.\d+\.\d+(\+[0-9a-f]{8}(\.dirty)?)?\n$/,
    );
    expect(await text(spawn(nodeCommand[0], ['--version']).stdout)).toMatch(/^v/);
  });
});
