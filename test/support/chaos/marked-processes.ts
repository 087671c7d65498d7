import { readdir, readFile, readlink } from 'node:fs/promises';
import { basename } from 'node:path';

/** A live process that carries an attempt's marker in its environment (Linux). */
export type MarkedProcess = {
  pid: number;
  startTime: string;
  attemptId: string;
  /** `attempt-epoch-runner`. */
  lease: string;
  runnerId: string;
  command: string;
  /** The agent engine itself, not what it or the runner started for it. */
  isEngine: boolean;
};

const MARKER = /(?:^|\0)SWITCHYARD_ATTEMPT=((att_[A-Za-z0-9]+)-\d+-(\w+))(?:\0|$)/;

/** Every process of attempts of these runners. */
export async function markedProcesses(runnerIds: ReadonlySet<string>): Promise<MarkedProcess[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
  const found = await Promise.all(pids.map(look));
  return found.filter((one) => one !== null).filter(({ runnerId }) => runnerIds.has(runnerId));
}

/** Whether the very same process is still there. */
export async function livesOn(process: MarkedProcess): Promise<boolean> {
  return (await startTimeOf(process.pid)) === process.startTime;
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
  const command = argv.join(' ').trim().slice(0, 200);
  return { pid, startTime, attemptId, lease, runnerId, command, isEngine };
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
