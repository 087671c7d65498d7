import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ProcessLimits } from './limited-command.ts';
import { runProcess } from './run-process.ts';

const MiB = 1024 * 1024;
const LIMITS: ProcessLimits = { memoryBytes: 512 * MiB, cpuSeconds: 20, fileBytes: 64 * MiB };

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'swy-limits-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const run = (limits: Partial<ProcessLimits>, file: string, ...args: string[]) =>
  runProcess({
    file,
    args,
    cwd: folder,
    env: { PATH: process.env['PATH'] ?? '', LC_ALL: 'C' },
    timeoutMs: 60_000,
    maxOutputBytes: MiB,
    limits: { ...LIMITS, ...limits },
  });

describe('a host process with limits', () => {
  it('is the same program with the same arguments', async () => {
    const args = ['%s|', 'a b', '$(id)', '"; exit 1', '-n', ''];
    const done = await run({}, 'printf', ...args);
    expect(done).toMatchObject({ exitCode: 0, signal: null });
    expect(done.stdout.toString()).toBe('a b|$(id)|"; exit 1|-n||');
  });

  it('ends at its processor time', async () => {
    const done = await run({ cpuSeconds: 1 }, 'sh', '-c', 'while :; do :; done');
    expect(done).toMatchObject({ exitCode: null, signal: 'SIGXCPU', timedOut: false });
  });

  it('writes no file beyond the limit and is told', async () => {
    const fill = ['if=/dev/zero', 'of=filled', 'bs=1M', 'count=8'];
    const done = await run({ fileBytes: 2 * MiB }, 'dd', ...fill);
    expect(done.exitCode).toBe(1);
    expect(done.stderr).toContain('File too large');
    expect((await stat(join(folder, 'filled'))).size).toBe(2 * MiB);
    expect(await run({}, 'dd', ...fill)).toMatchObject({ exitCode: 0 });
  });

  // Its kernel has no such limit.
  it.skipIf(process.platform === 'darwin')('takes no memory beyond the limit', async () => {
    const take = ['if=/dev/zero', 'of=/dev/null', 'bs=256M', 'count=1'];
    expect((await run({ memoryBytes: 64 * MiB }, 'dd', ...take)).exitCode).toBe(1);
    expect((await run({}, 'dd', ...take)).exitCode).toBe(0);
  });
});
