import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, chown, cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import Database from 'libsql';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { processesOf } from '../support/e2e/processes-of.ts';
import { nodeCommand, repositoryRoot, startService } from '../support/e2e/start-service.ts';
import { switchyard } from '../support/e2e/switchyard.ts';

/** Nobody listens there. */
const NO_DAEMON = { DOCKER_HOST: 'unix:///nonexistent/docker.sock' };

/** Root may write everywhere: what forbids something is tried as a user without rights. */
const OTHER_USER = process.getuid?.() === 0 ? 65_534 : undefined;
const QUIET = ['--port', '0', '--no-open'];

describe('starting where something is in the way', () => {
  let folder = '';
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'swy-e2e-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  it('names an address that a browser can open when it listens everywhere', async () => {
    const args = ['--no-runner', '--host', '0.0.0.0'];
    const env = { SERVICE_WRITE_TOKEN: 'w'.repeat(40) };
    const service = await startService({ dataDir: join(folder, 'one'), args, env });
    try {
      expect(service.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
      expect((await fetch(`${service.url}/healthz`)).status).toBe(200);
    } finally {
      await service.stop();
      await service.kill();
    }
  });

  it('says for programs where it serves, and what a runner has joined', async () => {
    const flags = ['--json', '--port', '0', '--no-open', '--no-runner'];
    const [node, ...first] = nodeCommand;
    const args = [...first, 'start', ...flags, '--data-dir', join(folder, 'one')];
    const child = spawn(node, args, { stdio: ['ignore', 'pipe', 'inherit'], timeout: 60_000 });
    try {
      const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
      const { url, dataDir } = JSON.parse(line) as { url: string; dataDir: string };
      expect(dataDir).toBe(join(folder, 'one'));
      const made = await fetch(`${url}/api/v1/runners/tokens`, { method: 'POST' });
      const { token } = (await made.json()) as { token: string };
      const own = ['--json', '--token', token, '--data-dir', join(folder, 'runner')];
      const joined = await switchyard(['runner', 'join', url, ...own], folder);
      expect(JSON.parse(joined.stdout)).toEqual({
        controlPlaneUrl: url,
        runnerId: expect.stringMatching(/^run_/),
      });
    } finally {
      child.kill('SIGTERM');
      await once(child, 'exit');
    }
  });

  it('says where a Switchyard runs already', async () => {
    const service = await startService({ dataDir: join(folder, 'one'), args: ['--no-runner'] });
    try {
      const { port } = new URL(service.url);
      const flags = ['--port', port, '--no-open', '--no-runner', '--data-dir', join(folder, 'two')];
      const ended = await switchyard(['start', ...flags], folder);
      expect(ended.code).toBe(1);
      expect(ended.stderr).toContain(`Switchyard already runs at ${service.url}`);
    } finally {
      await service.stop();
      await service.kill();
    }
  });

  it.each(['start', 'demo'])(
    'ends %s with 3 and one line without the Docker asked for',
    async (name) => {
      const flags = ['--port', '0', '--no-open', '--sandbox', 'docker', '--data-dir', folder];
      const ended = await switchyard([name, ...flags], folder, NO_DAEMON);
      expect(ended.code, ended.stderr).toBe(3);
      const lines = ended.stderr.split('\n').filter((line) => line.includes('--sandbox docker:'));
      expect(lines).toEqual([expect.stringMatching(/no daemon answers.*--sandbox process/)]);
      expect(ended.stderr).not.toContain('starting it again');
      expect(await processesOf(folder)).toEqual([]);
    },
  );

  it('says who listens at a port that is taken by something else', async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    try {
      const { port } = other.address() as AddressInfo;
      const flags = ['--port', String(port), '--no-open', '--no-runner', '--data-dir', folder];
      const ended = await switchyard(['start', ...flags], folder);
      expect(ended.code).toBe(1);
      expect(lastLine(ended.stderr)).toMatch(/EADDRINUSE.*choose another with --port/);
    } finally {
      other.close();
    }
  });

  it('does not change a data folder of a newer version', async () => {
    const file = join(folder, 'switchyard.db');
    const database = new Database(file);
    database.exec(
      'create table __drizzle_migrations(id integer, hash text, created_at numeric);' +
        "insert into __drizzle_migrations values (1, 'x', 9999999999999)",
    );
    database.close();
    const ended = await switchyard(['start', ...QUIET, '--data-dir', folder], folder);
    expect(ended.code).toBe(1);
    expect(lastLine(ended.stderr)).toMatch(/is of a newer version than .*install the version/);
  });

  it.each([['start'], ['demo'], ['runner', 'join', 'http://127.0.0.1:9', '--token', 'enr_x']])(
    'says which folder it may not write: %s',
    async (...words) => {
      const dataDir = join(folder, 'closed', 'data');
      await mkdir(join(folder, 'closed'));
      await chmod(folder, 0o755);
      await chmod(join(folder, 'closed'), 0o555);
      const flags = words[0] === 'runner' ? [] : QUIET;
      const args = [...words, ...flags, '--data-dir', dataDir];
      const ended = await switchyard(args, folder, NO_DAEMON, { uid: OTHER_USER });
      await chmod(join(folder, 'closed'), 0o755);
      expect(ended.code, ended.stderr).toBe(1);
      expect(lastLine(ended.stderr)).toMatch(/closed\/data.*right to write.*--data-dir/);
    },
  );

  it('says so when a file stands where the data folder belongs', async () => {
    const dataDir = join(folder, 'file');
    await writeFile(dataDir, '');
    const ended = await switchyard(['start', ...QUIET, '--data-dir', dataDir], folder);
    expect(ended.code).toBe(1);
    expect(lastLine(ended.stderr)).toMatch(/a file stands where a folder belongs/);
  });

  it('ends with 3 without permission for the Docker daemon that was asked for', async () => {
    const socket = join(folder, 'docker.sock');
    const daemon = createServer();
    await new Promise<void>((resolve) => daemon.listen(socket, resolve));
    try {
      await chmod(socket, 0);
      if (OTHER_USER !== undefined) await chown(folder, OTHER_USER, OTHER_USER);
      const flags = [...QUIET, '--sandbox', 'docker', '--data-dir', join(folder, 'data')];
      const env = { DOCKER_HOST: `unix://${socket}` };
      const ended = await switchyard(['start', ...flags], folder, env, { uid: OTHER_USER });
      expect(ended.code, ended.stderr).toBe(3);
      const lines = ended.stderr.split('\n').filter((line) => line.includes('--sandbox docker:'));
      expect(lines).toEqual([expect.stringMatching(/no permission .*group.*--sandbox process/)]);
    } finally {
      daemon.close();
    }
  });

  it.each([
    ['start', 'switchyard.js'],
    ['run', 'runner.js'],
  ])('names the native package that is missing: %s', async (word, program) => {
    const dist = join(repositoryRoot, 'dist');
    const copied = join(folder, 'package');
    await cp(join(dist, 'lib'), join(copied, 'lib'), { recursive: true });
    await cp(join(dist, 'package.json'), join(copied, 'package.json'), { dereference: true });
    await cp(join(dist, 'runner'), join(copied, 'runner'), { recursive: true, dereference: true });
    for (const name of ['libsql', '@neon-rs/load', 'detect-libc']) {
      const place = join('node_modules', name);
      await cp(join(repositoryRoot, place), join(copied, place), { recursive: true });
    }
    const dataDir = join(folder, 'data');
    await mkdir(dataDir);
    const flags = word === 'run' ? ['--data-dir', dataDir, '--sandbox', 'process'] : QUIET;
    const env = {
      ...NO_DAEMON,
      SWITCHYARD_DATA_DIR: dataDir,
      SWITCHYARD_CONTROL_PLANE: 'http://127.0.0.1:9',
      SWITCHYARD_CONTROL_PLANE_PID: String(process.pid),
      SWITCHYARD_JOIN_TOKEN: 'enr_x',
    };
    const ended = await switchyard([word, ...flags], folder, env, {
      program: join(copied, 'lib', program),
    });
    expect(ended.code, ended.stderr).toBe(3);
    expect(lastLine(ended.stderr)).toMatch(
      new RegExp(`package @libsql/\\S+ is not installed .* on ${process.platform}-${process.arch}`),
    );
  });

  it('tells in a sentence that a join token is not good, and stores nothing', async () => {
    const service = await startService({ dataDir: join(folder, 'one'), args: ['--no-runner'] });
    try {
      const flags = ['--token', 'enr_wrong', '--data-dir', join(folder, 'runner')];
      const ended = await switchyard(['runner', 'join', service.url, ...flags], folder);
      expect(ended.code).toBe(3);
      expect(ended.stderr).toBe(
        `switchyard runner: ${service.url} did not let this runner join: ` +
          'this join token is unknown, used or expired; make a new one (401)\n',
      );
    } finally {
      await service.stop();
      await service.kill();
    }
  });

  it('knows which keys the configuration has', async () => {
    const service = await startService({ dataDir: join(folder, 'one'), args: ['--no-runner'] });
    try {
      const get = (key: string) => switchyard(['config', 'get', key, '--url', service.url], folder);
      expect(await get('agent.maxTurns')).toMatchObject({ code: 0, stdout: '20\n' });
      expect(await get('agent.max_turns')).toMatchObject({ code: 0, stdout: '20\n' });
      const unknown = await get('agent.maxTruns');
      expect(unknown).toMatchObject({ code: 2, stdout: '' });
      expect(unknown.stderr).toContain('no configuration key "agent.maxTruns"');
    } finally {
      await service.stop();
      await service.kill();
    }
  });
});

function lastLine(text: string): string {
  return text.trimEnd().split('\n').at(-1) ?? '';
}
