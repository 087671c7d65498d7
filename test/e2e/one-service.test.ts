import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { deferred } from '@switchyard/shared/deferred';
import { say } from '../../control-plane/scripted-provider/step.ts';
import { until } from '../support/e2e/until.ts';
import { type Bench, startBench } from '../support/e2e/start-bench.ts';
import {
  repositoryRoot,
  runnerConnected,
  type RunningService,
  startService,
} from '../support/e2e/start-service.ts';
import { switchyard } from '../support/e2e/switchyard.ts';

const WORK_TIMEOUT_MS = 60_000;
const QUIET = ['--port', '0', '--no-open'];
const PLAIN = [...QUIET, '--sandbox', 'process'];

describe('a data folder whose service works on an issue', () => {
  let bench: Bench;
  let dataDir: string;
  let link: string;
  const answer = deferred<void>();
  beforeAll(async () => {
    // The model is asked once and thinks until the end: whoever asks again has begun anew.
    const thinking = () => answer.promise.then(() => say('I waited.\n\nSWITCHYARD_STATUS: DONE'));
    bench = await startBench({ script: thinking });
    ({ dataDir } = bench.service);
    link = join(bench.folder, 'another-name');
    await symlink(dataDir, link);
    await bench.client.createIssue({ title: 'Wait for a while' });
    await until(
      () => bench.provider.requests.length,
      (asked) => asked > 0,
      { what: 'an agent at work', timeoutMs: WORK_TIMEOUT_MS },
    );
  });
  afterAll(async () => {
    answer.resolve();
    await bench?.close();
  });

  /** What must not change because of a second command. */
  async function work() {
    const { attemptCount, attempts } = await bench.client.issue('SY-1');
    const processes = await bench.service.processes();
    const runners = processes.filter(({ command }) => command.includes('/runner.js'));
    return {
      attemptCount,
      attempt: attempts[0]?.attemptId,
      outcome: attempts[0]?.outcome,
      runners: runners.map(({ pid }) => pid),
      asked: bench.provider.requests.length,
    };
  }

  it.each([
    ['start', () => ['start', ...PLAIN, '--data-dir', dataDir]],
    ['start, by another name', () => ['start', ...PLAIN, '--data-dir', `${link}/`]],
    ['start without a runner', () => ['start', ...QUIET, '--no-runner', '--data-dir', link]],
    ['demo', () => ['demo', '--once', ...PLAIN, '--data-dir', dataDir]],
    ['edge dev', () => ['edge', 'dev', '--port', '0', '--no-open', '--data-dir', dataDir]],
    ['runner', () => ['runner', 'run', '--data-dir', dataDir]],
    ['restore', () => ['backup', '--restore', join(dataDir, 'switchyard.db'), '--data-dir', link]],
    ['upgrade', () => ['upgrade', '--no-pull', '--port', '1', '--data-dir', dataDir]],
    ['data', () => ['data', 'export', '--remote', 'http://127.0.0.1:9', '--data-dir', dataDir]],
  ])('refuses %s with who has the folder, and its agent goes on', async (_name, args) => {
    const before = await work();
    expect(before).toMatchObject({ outcome: null, asked: 1, runners: [expect.any(Number)] });
    const ended = await switchyard(args(), bench.folder);
    const said = ended.stderr.trimEnd().split('\n').at(-1);
    expect(ended.code, ended.stderr).toBe(1);
    expect(said).toContain('is in use by switchyard start (');
    expect(said).toContain(`process ${bench.service.pid}`);
    expect(said).toContain(bench.service.url);
    expect(said).toMatch(/since \d+ \w+ at \d\d:\d\d UTC/);
    expect(said).toContain(`"kill ${bench.service.pid}"`);
    expect(said).toContain('--data-dir');
    expect(await work()).toEqual(before);
  });

  it.each([
    ['run', () => ['runner', 'run']],
    ['join', () => ['runner', 'join', bench.service.url, '--token', 'enr_x']],
  ])('refuses runner %s in the folder of its runner', async (_name, args) => {
    const before = await work();
    const ended = await switchyard(
      [...args(), '--data-dir', join(dataDir, 'runner')],
      bench.folder,
    );
    expect(ended.code, ended.stderr).toBe(1);
    expect(ended.stderr).toContain('is in use by the runner of a control plane (');
    expect(ended.stderr).toContain(`"kill ${bench.service.pid}"`);
    expect(await work()).toEqual(before);
  });

  it('is copied and looked at as ever', async () => {
    const copied = await switchyard(['backup', '--json', '--data-dir', dataDir], bench.folder);
    expect(copied.code, copied.stderr).toBe(0);
    const looked = await switchyard(['doctor', '--json', '--data-dir', dataDir], bench.folder);
    expect(JSON.parse(looked.stdout).findings).toContainEqual(
      expect.objectContaining({ name: 'database', status: 'ok' }),
    );
  });

  it('stays that of a service that is stopped for a while', async () => {
    process.kill(bench.service.pid, 'SIGSTOP');
    try {
      const ended = await switchyard(['start', ...PLAIN, '--data-dir', dataDir], bench.folder);
      expect(ended.code, ended.stderr).toBe(1);
      expect(ended.stderr).toContain(`process ${bench.service.pid}`);
    } finally {
      process.kill(bench.service.pid, 'SIGCONT');
    }
  });

  it('is free again at once when its service was killed', async () => {
    const former = bench.service.pid;
    process.kill(former, 'SIGKILL');
    await bench.restart();
    expect(bench.service.pid).not.toBe(former);
    expect((await fetch(`${bench.service.url}/healthz`)).status).toBe(200);
    // The former one's runner still has the agent, which goes on.
    answer.resolve();
    const { status, attemptCount } = await bench.client.settled('SY-1');
    expect({ status, attemptCount }).toEqual({ status: 'completed', attemptCount: 1 });
    expect(bench.provider.requests).toHaveLength(1);
  });
});

describe('a data folder with a runner of its own', () => {
  let folder: string;
  let plane: RunningService;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'swy-e2e-'));
    plane = await startService({ dataDir: join(folder, 'plane'), args: ['--no-runner'] });
  });
  afterEach(async () => {
    await plane.kill();
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  });

  it('has one runner, and none of a service beside it', async () => {
    const dataDir = join(folder, 'machine', 'runner');
    const { token } = await plane.client.must<{ token: string }>('POST', '/runners/tokens', {});
    const joined = await switchyard(
      ['runner', 'join', plane.url, '--token', token, '--data-dir', dataDir],
      folder,
    );
    expect(joined.code, joined.stderr).toBe(0);
    const runner = ['run', '--sandbox', 'process', '--data-dir', dataDir];
    const program = join(repositoryRoot, 'dist/lib/runner.js');
    const child = spawn(process.execPath, [program, ...runner], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    try {
      await once(createInterface({ input: child.stdout }), 'line');
      const identity = await readFile(join(dataDir, 'identity.json'), 'utf8');
      const second = await switchyard(['runner', ...runner], folder);
      expect(second.code, second.stderr).toBe(1);
      expect(second.stderr).toMatch(
        /machine\/runner is in use by switchyard runner \(process \d+, since .*--data-dir/,
      );
      const beside = ['start', ...PLAIN, '--data-dir', join(folder, 'machine')];
      const service = await switchyard(beside, folder);
      expect(service.code, service.stderr).toBe(1);
      expect(service.stderr).toContain('is in use by switchyard runner (');
      expect(await readFile(join(dataDir, 'identity.json'), 'utf8')).toBe(identity);
      expect(child.exitCode).toBeNull();
      // Without a runner there is nothing that two would share.
      const alone = await startService({
        dataDir: join(folder, 'machine'),
        args: ['--no-runner'],
      });
      await alone.stop();
    } finally {
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
    const both = await startService({
      dataDir: join(folder, 'machine'),
      args: ['--sandbox', 'process'],
    });
    try {
      await runnerConnected(both);
    } finally {
      await both.kill();
    }
  });
});
