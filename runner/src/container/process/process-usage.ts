import { readFile } from 'node:fs/promises';
import { findMarked, statFields } from './process-identity.ts';

/** Unit of processor times in /proc, the same on every Linux that Node supports. */
const TICK_MS = 10;
const PAGE_BYTES = 4096;

/** Processor time and resident memory of all processes with the marker; null except on Linux. */
export async function processUsage(
  marker: string,
): Promise<{ cpuMs: number; memoryBytes: number } | null> {
  if (process.platform !== 'linux') return null;
  const usage = { cpuMs: 0, memoryBytes: 0 };
  for (const pid of await findMarked(marker)) {
    const fields = await statFields(pid);
    // Fields 14 to 17: user and system time of the process and of its awaited children.
    const ticks = (fields ?? []).slice(11, 15).map(Number);
    usage.cpuMs += ticks.reduce((sum, count) => sum + count, 0) * TICK_MS;
    const memory = await readFile(`/proc/${pid}/statm`, 'latin1').catch(() => '');
    usage.memoryBytes += Number(memory.split(' ')[1] ?? 0) * PAGE_BYTES;
  }
  return usage;
}
