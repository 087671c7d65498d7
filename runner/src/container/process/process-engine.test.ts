import { execFileSync, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { CommandSpec, EngineContainer, EngineContainerSpec } from '../container-engine.ts';
import { attemptMarker } from './attempt-environment.ts';
import { ProcessContainerEngine } from './process-engine.ts';
import { findMarked } from './process-table.ts';

const runnerId = `test-${randomUUID().slice(0, 8)}`;
let folder: string;
let engine: ProcessContainerEngine;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'swy-process-'));
  engine = newEngine();
});

afterEach(async () => {
  for (const container of await engine.list(runnerId)) {
    await container.stop(0);
    await container.remove();
  }
  await engine.close();
  await rm(folder, { recursive: true, force: true });
});

const newEngine = (): ProcessContainerEngine =>
  new ProcessContainerEngine({ registryFolder: join(folder, 'launches') });

const sh = (script: string): string[] => ['sh', '-c', script];
const resources = { memoryBytes: 1e9, cpus: 1, pids: 100, tmpfsBytes: 1e6 };

function spec(argv: string[], changes: Partial<EngineContainerSpec> = {}): EngineContainerSpec {
  const attemptId = `a${randomUUID().slice(0, 8)}`;
  return {
    owner: { runnerId, attemptId, epoch: 1, bootId: 'boot' },
    image: 'none',
    argv,
    env: { HOME: folder, GIVEN: 'yes' },
    workingDirectory: folder,
    mounts: [{ hostPath: folder, containerPath: folder, readOnly: false }],
    resources,
    proxy: { socketFolder: folder, hostPort: 1 },
    stateFolder: join(folder, attemptId),
    ...changes,
  };
}

function command(argv: string[], changes: Partial<CommandSpec> = {}): CommandSpec {
  const { owner, env, workingDirectory, mounts } = spec([]);
  return {
    ...{ owner, image: 'none', argv, env, workingDirectory, mounts, resources },
    ...{ purpose: 'test', timeoutMs: 20_000, maxOutputBytes: 1e6 },
    ...changes,
  };
}

async function read(
  container: EngineContainer,
  fromByte = 0,
  enough?: (text: string) => boolean,
): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of container.stdout(fromByte, AbortSignal.timeout(20_000))) {
    chunks.push(chunk);
    if (enough?.(Buffer.concat(chunks).toString())) break;
  }
  return Buffer.concat(chunks).toString();
}

describe('process container engine', () => {
  it('talks both ways and tells the exit code within a second', async () => {
    const container = await engine.start(spec(sh('read a; read b; echo "$b"; date +%s%N; exit 7')));
    await container.write(Buffer.from('hello\n'));
    expect(await container.exited).toEqual({ exitCode: 7, signal: null, oom: false });
    const noticedMs = Date.now();
    const [line, atNs] = (await read(container)).split('\n');
    expect(line).toBe('hello');
    expect(noticedMs - Number(atNs) / 1e6).toBeLessThan(1000);
    await expect(container.write(Buffer.from('x'))).rejects.toThrow('ended');
  });

  it('gives a clean environment', async () => {
    process.env['SWY_TEST_SECRET'] = 'runner-secret';
    const container = await engine.start(spec(['env']));
    const text = await read(container);
    delete process.env['SWY_TEST_SECRET'];
    const names = text.split('\n').map((line) => line.split('=')[0]);
    expect(text).not.toContain('runner-secret');
    expect(text).toContain('GIVEN=yes');
    expect(text).toContain(`HOME=${folder}`);
    expect(
      new Set(names.filter((name) => name && !['_', 'PWD', 'OLDPWD', 'SHLVL'].includes(name))),
    ).toEqual(new Set(['PATH', 'LANG', 'HOME', 'GIVEN', 'SWITCHYARD_ATTEMPT']));
  });

  it('leaves nothing after stop, not even commands in sessions of their own', async () => {
    const wanted = spec(
      sh(`setsid sleep 300 & (setsid sh -c 'sleep 300' &) ; echo up; exec sleep 300`),
    );
    const container = await engine.start(wanted);
    await read(container, 0, (text) => text.includes('up'));
    await expect
      .poll(async () => (await sleepers(wanted)).length, WITHIN)
      .toBeGreaterThanOrEqual(3);
    const exit = await container.stop(1000);
    expect(exit).toEqual({ exitCode: 143, signal: 'SIGTERM', oom: false });
    expect(await findMarked(attemptMarker(wanted.owner))).toEqual([]);
    expect(await container.stop(1000)).toEqual(exit);
  });

  it('kills an engine that ignores TERM after the grace time', async () => {
    const container = await engine.start(
      spec(sh(`trap '' TERM; echo up; while :; do sleep 1; done`)),
    );
    await read(container, 0, (text) => text.includes('up'));
    expect(await container.stop(200)).toEqual({ exitCode: 137, signal: 'SIGKILL', oom: false });
  });

  it('carries big input and output byte for byte', async () => {
    const container = await engine.start(spec(['head', '-c', '8000001']));
    const line = Buffer.from('€ß\u{1f600}'.repeat(900_000).slice(0, 2_000_000));
    const sent = Buffer.concat([line, line, line]).subarray(0, 8_000_000);
    await container.write(sent);
    expect((await container.exited).exitCode).toBe(0);
    const abort = new AbortController();
    const chunks: Uint8Array[] = [];
    for await (const chunk of container.stdout(1, abort.signal)) chunks.push(chunk);
    expect(Buffer.concat(chunks).equals(sent)).toBe(true);
  });

  it('survives kill -9 of the runner and is adopted with its input and output', async () => {
    const wanted = spec(sh('while read line; do echo "got $line"; done'));
    const specFile = join(folder, 'spec.json');
    await writeFile(specFile, JSON.stringify(wanted));
    const modulePath = new URL('./process-engine.ts', import.meta.url).href;
    const script = `
      import { readFileSync } from 'node:fs';
      const { ProcessContainerEngine } = await import(${JSON.stringify(modulePath)});
      const engine = new ProcessContainerEngine({ registryFolder: ${JSON.stringify(join(folder, 'launches'))} });
      const container = await engine.start(JSON.parse(readFileSync(${JSON.stringify(specFile)}, 'utf8')));
      await container.write(Buffer.from('one\\nhalf a li'));
      console.log('written');
    `;
    const runner = spawn(process.execPath, ['--input-type=module', '-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await new Promise<void>((resolve) => runner.stdout.once('data', () => resolve()));
    runner.kill('SIGKILL');
    await new Promise((resolve) => runner.once('exit', resolve));

    const [adopted] = await engine.list(runnerId);
    expect(adopted?.owner).toEqual(wanted.owner);
    if (!adopted) return;
    const before = await read(adopted, 0, (text) => text.includes('got one\n'));
    await adopted.write(Buffer.from('two\n'));
    const after = await read(adopted, before.length, (text) => text.includes('got two\n'));
    expect(after).not.toContain('got one');
    expect(await engine.start(wanted)).toBe(adopted);
    const startedMs = Date.now();
    const pid = Number(await readFile(join(wanted.stateFolder, 'engine.pid'), 'utf8'));
    process.kill(pid, 'SIGKILL');
    expect(await adopted.exited).toMatchObject({ exitCode: 137, signal: 'SIGKILL' });
    expect(Date.now() - startedMs).toBeLessThan(1000);
    await adopted.remove();
    expect(await engine.list(runnerId)).toEqual([]);
  }, 30_000);

  describe('with a deadline', () => {
    const working = sh(`trap 'exit 0' TERM; setsid sleep 300 & echo up; wait`);
    const renew = (counter: number, remainingMs: number): Promise<void> =>
      writeFile(join(folder, 'deadline'), `${counter} ${remainingMs}\n`);

    it('ends with everything it started when its lease is not renewed', async () => {
      await renew(1, 60_000);
      const wanted = spec(working);
      const container = await engine.start(wanted);
      await read(container, 0, (text) => text.includes('up'));
      await engine.close();
      await renew(2, 300);
      await gone(wanted);
      engine = newEngine();
      const [found] = await engine.list(runnerId);
      expect(await found?.exited).toEqual({ exitCode: 143, signal: 'SIGTERM', oom: false });
      expect(await found?.stderrTail(1000)).toContain('the lease was not renewed in time');
    });

    it('is killed when it does not go by itself', async () => {
      await renew(1, 300);
      const wanted = spec(sh(`trap '' TERM; while :; do sleep 1; done`));
      const container = await engine.start(wanted);
      expect(await container.exited).toMatchObject({ exitCode: 143 });
      await gone(wanted);
    });

    it('lives as long as renewals come', async () => {
      await renew(1, 3_000);
      const container = await engine.start(spec(working));
      await read(container, 0, (text) => text.includes('up'));
      let ended = false;
      void container.exited.then(() => (ended = true));
      const startedMs = Date.now();
      for (let counter = 2; Date.now() - startedMs < 4_500; counter += 1) {
        await renew(counter, 3_000);
        await delay(100);
      }
      expect(ended).toBe(false);
      expect(await container.exited).toMatchObject({ exitCode: 143 });
    });

    it('leaves no dead-man behind when its engine ends', async () => {
      await renew(1, 60_000);
      const wanted = spec(sh('read a'));
      const container = await engine.start(wanted);
      await expect.poll(() => deadMen(wanted), WITHIN).toHaveLength(1);
      await engine.close();
      await writeFile(join(wanted.stateFolder, 'stdin'), 'go\n');
      await gone(wanted);
      expect(container.owner).toEqual(wanted.owner);
    });
  });

  it('reports an end that nobody saw, and one without a status', async () => {
    const first = spec(sh('exit 3'));
    const second = spec(['sleep', '300']);
    for (const wanted of [first, second]) await engine.start(wanted);
    await engine.close();
    await expect
      .poll(() => readFile(join(first.stateFolder, 'exit'), 'utf8').catch(() => ''), WITHIN)
      .toBe('3\n');
    for (const pid of await findMarked(attemptMarker(second.owner))) process.kill(pid, 'SIGKILL');
    engine = newEngine();
    const found = await engine.list(runnerId);
    const exits = new Map(
      await Promise.all(
        found.map(async (entry) => [entry.owner.attemptId, await entry.exited] as const),
      ),
    );
    expect(exits.get(first.owner.attemptId)).toEqual({ exitCode: 3, signal: null, oom: false });
    expect(exits.get(second.owner.attemptId)?.exitCode).not.toBe(0);
  });

  it('runs short commands with limits', async () => {
    const done = await engine.run(command(sh('echo out; echo err >&2; exit 4')));
    expect(done).toEqual({
      ...{ exitCode: 4, stdout: 'out\n', stderr: 'err\n' },
      ...{ timedOut: false, outputExceeded: false },
    });
    const wanted = command(sh('setsid sleep 300 & sleep 300'), { timeoutMs: 300 });
    expect(await engine.run(wanted)).toMatchObject({ exitCode: 137, timedOut: true });
    expect(await findMarked(attemptMarker(wanted.owner))).toEqual([]);
    const loud = await engine.run(
      command(sh('while :; do echo x; done'), { maxOutputBytes: 1000 }),
    );
    expect(loud.outputExceeded).toBe(true);
    expect(loud.stdout).toHaveLength(1000);
    const file = join(folder, 'out');
    await engine.run(command(sh('echo to file'), { stdoutFile: file }));
    expect(await readFile(file, 'utf8')).toBe('to file\n');
    expect(await engine.run(command(['no-such-program']))).toMatchObject({ exitCode: 127 });
  });

  it('ends a short command, and what it started, at its signal', async () => {
    const abort = new AbortController();
    const wanted = command(sh('setsid sleep 300 & sleep 300'), { signal: abort.signal });
    const result = engine.run(wanted);
    await expect.poll(() => findMarked(attemptMarker(wanted.owner)), WITHIN).toHaveLength(3);
    abort.abort();
    expect(await result).toMatchObject({ exitCode: 137, timedOut: false });
    expect(await findMarked(attemptMarker(wanted.owner))).toEqual([]);
    expect(await engine.run({ ...wanted, argv: ['sleep', '300'] })).toMatchObject({
      exitCode: 137,
    });
  });

  it.runIf(process.platform === 'linux')('tells what an engine and its commands use', async () => {
    const container = await engine.start(spec(sh('sh -c "while :; do :; done" & wait')));
    expect(await engine.stats(container)).toBeNull();
    await expect
      .poll(async () => (await engine.stats(container))?.cpuPercent ?? 0, WITHIN)
      .toBeGreaterThan(5);
    expect((await engine.stats(container))?.memoryPercent).toBeGreaterThan(0);
  });

  it('ends the commands of a runner that died, and not its own', async () => {
    const left = spawn('sh', ['-c', 'sleep 300; true'], {
      env: { PATH: process.env['PATH'], SWITCHYARD_COMMAND: `${runnerId}.of-a-dead-one` },
    });
    const ended = new Promise((resolve) => left.once('exit', resolve));
    execFileSync('mkfifo', [join(folder, 'go')]);
    const own = engine.run(command(sh('read -r a < go; echo done')));
    await engine.list(runnerId);
    await ended;
    await writeFile(join(folder, 'go'), 'on\n');
    expect(await own).toMatchObject({ exitCode: 0, stdout: 'done\n' });
  });

  it('refuses a mount that is not where it says', async () => {
    const mounts = [{ hostPath: folder, containerPath: '/workspace', readOnly: false }];
    await expect(engine.start(spec(sh('true'), { mounts }))).rejects.toThrow('give host paths');
  });
});

const WITHIN = { timeout: 15_000 };

async function gone(wanted: EngineContainerSpec): Promise<void> {
  await expect.poll(() => findMarked(attemptMarker(wanted.owner)), WITHIN).toEqual([]);
}

async function deadMen(wanted: EngineContainerSpec): Promise<number[]> {
  const pids = await findMarked(attemptMarker(wanted.owner));
  const commands = await Promise.all(
    pids.map((pid) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')),
  );
  return pids.filter((_pid, at) => commands[at]?.startsWith(process.execPath));
}

async function sleepers(wanted: EngineContainerSpec): Promise<number[]> {
  const pids = await findMarked(attemptMarker(wanted.owner));
  return pids.filter((pid) => {
    try {
      return execFileSync('ps', ['-o', 'args=', '-p', String(pid)])
        .toString()
        .startsWith('sleep');
    } catch {
      return false;
    }
  });
}
