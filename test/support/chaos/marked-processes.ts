import { readdir, readFile, readlink } from 'node:fs/promises';
import type { AttemptTrace } from './attempt-trace.ts';
import { isEngineCommand } from './engine-command.ts';

/** A live process that carries an attempt's marker in its environment (Linux). */
export type MarkedProcess = AttemptTrace & { pid: number; parentPid: number; runnerId: string };

const MARKER = /(?:^|\0)SWITCHYARD_ATTEMPT=((att_[A-Za-z0-9]+)-\d+-(\w+))(?:\0|$)/;

/** Every process of attempts of these runners. */
export async function markedProcesses(runnerIds: ReadonlySet<string>): Promise<MarkedProcess[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
  const found = await Promise.all(pids.map(look));
  const own = found.filter((one) => one !== null).filter(({ runnerId }) => runnerIds.has(runnerId));
  const engines = new Set(own.filter(({ isEngine }) => isEngine).map(({ pid }) => pid));
  // What an engine starts looks like the engine itself until it runs its own program.
  return own.map((one) => (engines.has(one.parentPid) ? { ...one, isEngine: false } : one));
}

async function look(pid: number): Promise<MarkedProcess | null> {
  const stat = await statOf(pid);
  if (stat === null) return null;
  const { startTime, parentPid } = stat;
  const found = MARKER.exec(await readable(`/proc/${pid}/environ`));
  const [, lease = '', attemptId = '', runnerId = ''] = found ?? [];
  if (found === null) return null;
  const argv = (await readable(`/proc/${pid}/cmdline`)).split('\0');
  const program = await readlink(`/proc/${pid}/exe`).catch(() => '');
  const isEngine = isEngineCommand(program, argv);
  const words = `${pid} ${argv.join(' ').trim().replaceAll(/\s+/g, ' ').slice(0, 120)}`;
  const livesOn = async () => (await statOf(pid))?.startTime === startTime;
  const is = { pid, parentPid, runnerId, attemptId, lease };
  return { ...is, isEngine, isRunning: true, words, livesOn };
}

/** Null for a process that is gone or only waits to be noticed by its parent. */
async function statOf(pid: number): Promise<{ startTime: string; parentPid: number } | null> {
  const stat = await readable(`/proc/${pid}/stat`);
  if (stat === '') return null;
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [state, parent, startTime] = [fields[0], fields[1], fields[19]];
  return state === 'Z' || startTime === undefined ? null : { startTime, parentPid: Number(parent) };
}

/** Empty for a process that has ended in between. */
function readable(path: string): Promise<string> {
  return readFile(path, 'utf8').catch(() => '');
}
