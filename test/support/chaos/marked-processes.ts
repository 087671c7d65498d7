import { readdir, readFile, readlink } from 'node:fs/promises';
import { basename } from 'node:path';
import type { AttemptTrace } from './attempt-trace.ts';

/** A live process that carries an attempt's marker in its environment (Linux). */
export type MarkedProcess = AttemptTrace & { pid: number; runnerId: string };

const MARKER = /(?:^|\0)SWITCHYARD_ATTEMPT=((att_[A-Za-z0-9]+)-\d+-(\w+))(?:\0|$)/;

/** Every process of attempts of these runners. */
export async function markedProcesses(runnerIds: ReadonlySet<string>): Promise<MarkedProcess[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
  const found = await Promise.all(pids.map(look));
  return found.filter((one) => one !== null).filter(({ runnerId }) => runnerIds.has(runnerId));
}

async function look(pid: number): Promise<MarkedProcess | null> {
  const startTime = await startTimeOf(pid);
  if (startTime === null) return null;
  const found = MARKER.exec(await readable(`/proc/${pid}/environ`));
  const [, lease = '', attemptId = '', runnerId = ''] = found ?? [];
  if (found === null) return null;
  const argv = (await readable(`/proc/${pid}/cmdline`)).split('\0');
  const program = basename(await readlink(`/proc/${pid}/exe`).catch(() => ''));
  const isEngine = program.startsWith('codex') && argv.includes('app-server');
  const words = `${pid} ${argv.join(' ').trim().replaceAll(/\s+/g, ' ').slice(0, 120)}`;
  const livesOn = async () => (await startTimeOf(pid)) === startTime;
  return { pid, runnerId, attemptId, lease, isEngine, isRunning: true, words, livesOn };
}

/** Null for a process that is gone or only waits to be noticed by its parent. */
async function startTimeOf(pid: number): Promise<string | null> {
  const stat = await readable(`/proc/${pid}/stat`);
  if (stat === '') return null;
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields[0] === 'Z' ? null : (fields[19] ?? null);
}

/** Empty for a process that has ended in between. */
function readable(path: string): Promise<string> {
  return readFile(path, 'utf8').catch(() => '');
}
