import { readFile } from 'node:fs/promises';
import type { RunningService } from './start-service.ts';

/** Memory of a service's own process, without the runner beside it. Linux. */
export async function residentBytes(service: Pick<RunningService, 'pid'>): Promise<number> {
  const status = await readFile(`/proc/${service.pid}/status`, 'utf8');
  const kibibytes = /^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1];
  if (kibibytes === undefined) throw new Error(`no resident size of process ${service.pid}`);
  return Number(kibibytes) * 1_024;
}
