import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { benchNode } from './bench-node.ts';
import { LONG_HISTORY, seedHistory } from './api-history.ts';
import { median } from './median.ts';
import { startService } from './started-service.ts';

export type ControlPlaneStart = {
  /** `node -e 0` in the same run. */
  bareMs: number;
  /** `switchyard --help`. */
  helpMs: number;
  /** With an empty data folder: the database is made and migrated first. */
  firstReadyMs: number;
  /** With the data folder of an earlier start. */
  readyMs: number;
  /** With 20,000 attempts in the database. */
  fullReadyMs: number;
  residentMib: number;
  /** Of the runner beside it, a process of its own. */
  runnerResidentMib: number;
};

const MIB = 1_048_576;
const RUN_TIMEOUT_MS = 60_000;
/** A start is over when the runner has connected and what was read for it can be collected. */
const SETTLE_MS = 5_000;

/** Starts the built product as it is installed, in an empty folder, again, and with a long history. */
export async function measureControlPlaneStart(repeats: number): Promise<ControlPlaneStart> {
  const command = join(import.meta.dirname, '../../dist/bin/switchyard.mjs');
  const bare: number[] = [];
  const help: number[] = [];
  const ready = { first: [] as number[], again: [] as number[], full: [] as number[] };
  const memory = { service: [] as number[], runner: [] as number[] };
  const fullDir = await mkdtemp(join(tmpdir(), 'switchyard-bench-'));
  try {
    await seedHistory(fullDir, LONG_HISTORY);
    for (let repeat = 0; repeat < repeats; repeat += 1) {
      bare.push(await timed(['-e', '0']));
      help.push(await timed([command, '--help']));
      const dataDir = await mkdtemp(join(tmpdir(), 'switchyard-bench-'));
      try {
        ready.first.push(await startOnce(dataDir));
        ready.again.push(await startOnce(dataDir));
        ready.full.push(await startOnce(fullDir));
        const resident = await residentMib(dataDir);
        memory.service.push(resident.service);
        memory.runner.push(resident.runner);
      } finally {
        await rm(dataDir, { recursive: true, force: true });
      }
    }
  } finally {
    await rm(fullDir, { recursive: true, force: true });
  }
  return {
    bareMs: median(bare),
    helpMs: median(help),
    firstReadyMs: median(ready.first),
    readyMs: median(ready.again),
    fullReadyMs: median(ready.full),
    residentMib: median(memory.service),
    runnerResidentMib: median(memory.runner),
  };
}

async function startOnce(dataDir: string): Promise<number> {
  const service = await startService({ dataDir, flags: ['--no-runner'] });
  await service.stop();
  return service.readyMs;
}

async function residentMib(dataDir: string): Promise<{ service: number; runner: number }> {
  const service = await startService({ dataDir, flags: ['--sandbox', 'process'] });
  try {
    await delay(SETTLE_MS);
    const runner = await service.runnerResidentBytes();
    if (runner === null) throw new Error('the runner is not there');
    return { service: (await service.residentBytes()) / MIB, runner: runner / MIB };
  } finally {
    await service.stop();
  }
}

async function timed(args: readonly string[]): Promise<number> {
  const startedAtMs = performance.now();
  await promisify(execFile)(benchNode, args, { timeout: RUN_TIMEOUT_MS });
  return performance.now() - startedAtMs;
}
