import { readdir, readFile } from 'node:fs/promises';

/** What a processor tick of `/proc/<pid>/stat` lasts on Linux. */
const TICK_MS = 10;

/** Processor time of every runtime that this process started. Linux only. */
export async function runtimeCpuMs(): Promise<number> {
  let sum = 0;
  for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
    const [, name, rest] = /^\d+ \((.*)\) (.*)$/s.exec(stat) ?? [];
    const fields = rest?.split(' ') ?? [];
    if (name === 'workerd' && Number(fields[1]) === process.pid)
      sum += (Number(fields[11]) + Number(fields[12])) * TICK_MS;
  }
  return sum;
}
