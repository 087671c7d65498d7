import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { median } from './median.ts';
import { startService } from './started-service.ts';

export type ControlPlaneStart = {
  /** With an empty data folder: the database is made and migrated first. */
  firstReadyMs: number;
  /** With the data folder of an earlier start. */
  readyMs: number;
  residentMib: number;
};

const MIB = 1_048_576;

/** Starts the control plane without a runner, in an empty folder and again, and looks at its memory. */
export async function measureControlPlaneStart(repeats: number): Promise<ControlPlaneStart> {
  const first: number[] = [];
  const again: number[] = [];
  const memory: number[] = [];
  for (let repeat = 0; repeat < repeats; repeat += 1) {
    const dataDir = await mkdtemp(join(tmpdir(), 'switchyard-bench-'));
    try {
      for (const readyMs of [first, again]) {
        const service = await startService({ dataDir, flags: ['--no-runner'] });
        readyMs.push(service.readyMs);
        memory.push((await service.residentBytes()) / MIB);
        await service.stop();
      }
    } finally {
      await rm(dataDir, { recursive: true, force: true });
    }
  }
  return { firstReadyMs: median(first), readyMs: median(again), residentMib: median(memory) };
}
