import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer as readAll } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { attemptMarker } from './attempt-environment.ts';
import { findMarked } from './process-identity.ts';
import { runnerId, sh, useProcessEngine } from './testing/use-process-engine.ts';

const rig = useProcessEngine();

describe('a short command', () => {
  it('runs within its limits', async () => {
    const done = await rig.engine.run(rig.command(sh('echo out; echo err >&2; exit 4')));
    expect(done).toEqual({
      exitCode: 4,
      stdout: 'out\n',
      stderr: 'err\n',
      timedOut: false,
      outputExceeded: false,
    });
    const wanted = rig.command(sh('setsid sleep 300 & sleep 300'), { timeoutMs: 300 });
    expect(await rig.engine.run(wanted)).toMatchObject({ exitCode: 137, timedOut: true });
    expect(await findMarked(attemptMarker(wanted.owner))).toEqual([]);
    const loud = await rig.engine.run(
      rig.command(sh('while :; do echo x; done'), { maxOutputBytes: 1000 }),
    );
    expect(loud.outputExceeded).toBe(true);
    expect(loud.stdout).toHaveLength(1000);
    const file = join(rig.folder, 'out');
    await rig.engine.run(rig.command(sh('echo to file'), { stdoutFile: file }));
    expect(await readFile(file, 'utf8')).toBe('to file\n');
    expect(await rig.engine.run(rig.command(['no-such-program']))).toMatchObject({ exitCode: 127 });
  });

  it('ends with what it started at its signal', async () => {
    const abort = new AbortController();
    const wanted = rig.command(sh('setsid sleep 300 & sleep 300'), { signal: abort.signal });
    const result = rig.engine.run(wanted);
    await expect.poll(() => findMarked(attemptMarker(wanted.owner))).toHaveLength(3);
    abort.abort();
    expect(await result).toMatchObject({ exitCode: 137, timedOut: false });
    expect(await findMarked(attemptMarker(wanted.owner))).toEqual([]);
    expect(await rig.engine.run({ ...wanted, argv: ['sleep', '300'] })).toMatchObject({
      exitCode: 137,
    });
  });

  it('ends with its own process, and what stays behind ends with it', async () => {
    const wanted = rig.command(sh('sleep 300 & echo ready; echo words >&2; exit 3'));
    expect(await rig.engine.run(wanted)).toEqual({
      exitCode: 3,
      stdout: 'ready\n',
      stderr: 'words\n',
      timedOut: false,
      outputExceeded: false,
    });
    expect(await findMarked(attemptMarker(wanted.owner))).toEqual([]);
    // It has left the group and forgotten its marks, so that nothing finds it; it holds the output.
    const hidden = rig.command(sh('env -i setsid sleep 300 & echo $!'));
    const { exitCode, stdout, timedOut } = await rig.engine.run(hidden);
    process.kill(Number(stdout), 'SIGKILL');
    expect({ exitCode, timedOut }).toEqual({ exitCode: 0, timedOut: false });
    const file = join(rig.folder, 'out');
    const kept = rig.command(sh('sleep 300 & echo to file'), { stdoutFile: file });
    expect(await rig.engine.run(kept)).toMatchObject({ exitCode: 0, timedOut: false });
    expect(await readFile(file, 'utf8')).toBe('to file\n');
  });

  it('says what a child of it says within the grace', async () => {
    const late = rig.command(sh('{ read -r go < go; echo late; } & echo on > go'));
    execFileSync('mkfifo', [join(rig.folder, 'go')]);
    expect(await rig.engine.run(late)).toMatchObject({ exitCode: 0, stdout: 'late\n' });
  });

  it('has all of its output in the file, however slow the disk is', async () => {
    const file = join(rig.folder, 'slow');
    execFileSync('mkfifo', [file]);
    const reader = spawn('sh', ['-c', 'sleep 3; exec cat "$0"', file]);
    const text = readAll(reader.stdout);
    const much = rig.command(sh('head -c 170000 /dev/zero'), { stdoutFile: file });
    expect(await rig.engine.run(much)).toMatchObject({ exitCode: 0, outputExceeded: false });
    expect((await text).length).toBe(170_000);
  });

  it('ends, and no other with it, when its output cannot be written', async () => {
    const endless = sh('while :; do echo x; done');
    const noFolder = { stdoutFile: join(rig.folder, 'none', 'out'), maxOutputBytes: 1e9 };
    await expect(rig.engine.run(rig.command(endless, noFolder))).rejects.toThrow('ENOENT');
    const noRoom = { stdoutFile: '/dev/full', maxOutputBytes: 1e9 };
    const wanted = rig.command(endless, noRoom);
    await expect(rig.engine.run(wanted)).rejects.toThrow('ENOSPC');
    expect(await findMarked(attemptMarker(wanted.owner))).toEqual([]);
  });

  it.runIf(process.getuid?.() === 0)('may leave a process that only another user can end', () => {
    const file = JSON.stringify(join(import.meta.dirname, 'process-identity.ts'));
    const script = `import(${file}).then((its) => console.log(its.sendSignal(${process.pid}, 'SIGWINCH')))`;
    const other = spawnSync(process.execPath, ['-e', script], { uid: 65_534, encoding: 'utf8' });
    expect(other).toMatchObject({ stdout: 'false\n', status: 0 });
  });

  it('of a runner that died is ended, and no other', async () => {
    const left = spawn('sh', ['-c', 'sleep 300; true'], {
      env: { PATH: process.env['PATH'], SWITCHYARD_COMMAND: `${runnerId}.of-a-dead-one` },
    });
    const ended = new Promise((resolve) => left.once('exit', resolve));
    execFileSync('mkfifo', [join(rig.folder, 'go')]);
    const own = rig.engine.run(rig.command(sh('read -r a < go; echo done')));
    await rig.engine.list(runnerId);
    await ended;
    await writeFile(join(rig.folder, 'go'), 'on\n');
    expect(await own).toMatchObject({ exitCode: 0, stdout: 'done\n' });
  });
});
