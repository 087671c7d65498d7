import { residentBytes } from '../support/e2e/resident-bytes.ts';
import { median } from '../bench/median.ts';
import { wait } from './wait.ts';

const EVERY_MS = 1_000;
/** Compiled code and caches grow in the beginning; what grows later does not stop. */
const WARM_UP_SHARE = 0.2;

export type MemoryReport = { firstMib: number; secondMib: number; ratio: number };

/** Looks at a process's resident memory until the signal; compares the halves after warming up. */
export async function watchMemory(
  service: { pid: number },
  signal: AbortSignal,
): Promise<MemoryReport> {
  const samples: number[] = [];
  while (!signal.aborted) {
    samples.push(await residentBytes(service));
    await wait(EVERY_MS, signal);
  }
  const warm = samples.slice(Math.floor(samples.length * WARM_UP_SHARE));
  const middle = Math.floor(warm.length / 2);
  const mib = (part: number[]) => (part.length === 0 ? 0 : median(part) / 1_048_576);
  const firstMib = mib(warm.slice(0, middle));
  const secondMib = mib(warm.slice(middle));
  return { firstMib, secondMib, ratio: firstMib === 0 ? 1 : secondMib / firstMib };
}
