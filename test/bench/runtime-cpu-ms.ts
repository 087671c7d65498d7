import { readFile } from 'node:fs/promises';
import { runtimesOf } from '../support/workerd/edge-dev.ts';

/** What a processor tick of `/proc/<pid>/stat` lasts on Linux. */
const TICK_MS = 10;

/** Processor time of every runtime that works in a data folder. Linux only. */
export async function runtimeCpuMs(dataDir: string): Promise<number> {
  let sum = 0;
  for (const pid of await runtimesOf(dataDir)) {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
    const fields = /^\d+ \(.*\) (.*)$/s.exec(stat)?.[1]?.split(' ') ?? [];
    sum += (Number(fields[11] ?? 0) + Number(fields[12] ?? 0)) * TICK_MS;
  }
  return sum;
}
