import { execFileSync, spawn } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { EngineContainerSpec } from '../container-engine.ts';
import { attemptMarker } from './attempt-environment.ts';
import { findMarked } from './process-identity.ts';
import { read, runnerId, sh, useProcessEngine } from './testing/use-process-engine.ts';

const rig = useProcessEngine();

describe('process container engine', () => {
  it('talks both ways and tells the exit code', async () => {
    const container = await rig.engine.start(rig.spec(sh('read a; read b; echo "$b"; exit 7')));
    await container.write(Buffer.from('hello\n'));
    expect(await container.exited).toEqual({ exitCode: 7, signal: null, oom: false });
    expect(await read(container)).toBe('hello\n');
    await expect(container.write(Buffer.from('x'))).rejects.toThrow('ended');
  });

  it('gives a clean environment', async () => {
    process.env['SWY_TEST_SECRET'] = 'runner-secret';
    const container = await rig.engine.start(rig.spec(['env']));
    const text = await read(container);
    delete process.env['SWY_TEST_SECRET'];
    const names = text.split('\n').map((line) => line.split('=')[0]);
    expect(text).not.toContain('runner-secret');
    expect(text).toContain('GIVEN=yes');
    expect(text).toContain(`HOME=${rig.folder}`);
    expect(
      new Set(names.filter((name) => name && !['_', 'PWD', 'OLDPWD', 'SHLVL'].includes(name))),
    ).toEqual(new Set(['PATH', 'LANG', 'HOME', 'GIVEN', 'SWITCHYARD_ATTEMPT']));
  });

  it('leaves nothing after stop, not even commands in sessions of their own', async () => {
    const wanted = rig.spec(
      sh(`setsid sleep 300 & (setsid sh -c 'sleep 300' &) ; echo up; exec sleep 300`),
    );
    const container = await rig.engine.start(wanted);
    await read(container, 0, (text) => text.includes('up'));
    await expect.poll(async () => (await sleepers(wanted)).length).toBeGreaterThanOrEqual(3);
    const exit = await container.stop(1000);
    expect(exit).toEqual({ exitCode: 143, signal: 'SIGTERM', oom: false });
    expect(await findMarked(attemptMarker(wanted.owner))).toEqual([]);
    expect(await container.stop(1000)).toEqual(exit);
  });

  it('kills an engine that ignores TERM after the grace time', async () => {
    const container = await rig.engine.start(
      rig.spec(sh(`trap '' TERM; echo up; while :; do sleep 1; done`)),
    );
    await read(container, 0, (text) => text.includes('up'));
    expect(await container.stop(200)).toEqual({ exitCode: 137, signal: 'SIGKILL', oom: false });
  });

  it('carries big input and output byte for byte', async () => {
    const container = await rig.engine.start(rig.spec(['head', '-c', '8000001']));
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
    const wanted = rig.spec(sh('while read line; do echo "got $line"; done'));
    const specFile = join(rig.folder, 'spec.json');
    await writeFile(specFile, JSON.stringify(wanted));
    const modulePath = new URL('./process-engine.ts', import.meta.url).href;
    const script = `
      import { readFileSync } from 'node:fs';
      const { ProcessContainerEngine } = await import(${JSON.stringify(modulePath)});
      const engine = new ProcessContainerEngine({ registryFolder: ${JSON.stringify(join(rig.folder, 'launches'))} });
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

    const [adopted] = await rig.engine.list(runnerId);
    expect(adopted?.owner).toEqual(wanted.owner);
    if (!adopted) return;
    const before = await read(adopted, 0, (text) => text.includes('got one\n'));
    await adopted.write(Buffer.from('two\n'));
    const after = await read(adopted, before.length, (text) => text.includes('got two\n'));
    expect(after).not.toContain('got one');
    expect(await rig.engine.start(wanted)).toBe(adopted);
    const pid = Number(await readFile(join(wanted.stateFolder, 'engine.pid'), 'utf8'));
    process.kill(pid, 'SIGKILL');
    expect(await adopted.exited).toMatchObject({ exitCode: 137, signal: 'SIGKILL' });
    await adopted.remove();
    expect(await rig.engine.list(runnerId)).toEqual([]);
  }, 30_000);

  it('reports an end that nobody saw, and one without a status', async () => {
    const first = rig.spec(sh('exit 3'));
    const second = rig.spec(['sleep', '300']);
    for (const wanted of [first, second]) await rig.engine.start(wanted);
    await rig.engine.close();
    await expect
      .poll(() => readFile(join(first.stateFolder, 'exit'), 'utf8').catch(() => ''))
      .toBe('3\n');
    for (const pid of await findMarked(attemptMarker(second.owner))) process.kill(pid, 'SIGKILL');
    rig.engine = rig.newEngine();
    const found = await rig.engine.list(runnerId);
    const exits = new Map(
      await Promise.all(
        found.map(async (entry) => [entry.owner.attemptId, await entry.exited] as const),
      ),
    );
    expect(exits.get(first.owner.attemptId)).toEqual({ exitCode: 3, signal: null, oom: false });
    expect(exits.get(second.owner.attemptId)?.exitCode).not.toBe(0);
  });

  it.runIf(process.platform === 'linux')('tells what an engine and its commands use', async () => {
    const container = await rig.engine.start(rig.spec(sh('sh -c "while :; do :; done" & wait')));
    expect(await rig.engine.stats(container)).toBeNull();
    await expect
      .poll(async () => (await rig.engine.stats(container))?.cpuPercent ?? 0)
      .toBeGreaterThan(5);
    expect((await rig.engine.stats(container))?.memoryPercent).toBeGreaterThan(0);
  });

  it('refuses a mount that is not where it says', async () => {
    const mounts = [{ hostPath: rig.folder, containerPath: '/workspace', readOnly: false }];
    await expect(rig.engine.start(rig.spec(sh('true'), { mounts }))).rejects.toThrow(
      'give host paths',
    );
  });
});

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
