import { execFile } from 'node:child_process';
import { readFile, readdir } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);
const PS_TIMEOUT_MS = 5_000;
/** A killed process may have started another meanwhile, so the search is repeated. */
const MAX_ROUNDS = 50;
const ROUND_MS = 20;

/** A process that cannot be confused with a later one of the same number. */
export type ProcessIdentity = { pid: number; startTime: string };

/** Start time of a live process in the system's form; null when there is none. */
export async function startTimeOf(pid: number): Promise<string | null> {
  if (process.platform !== 'linux') return startTimeFromPs(pid);
  const fields = await statFields(pid);
  // Fields 3 (state) and 22 (start), counted from the name's closing bracket.
  return fields === null || fields[0] === 'Z' ? null : (fields[19] ?? null);
}

/** Parent of a live process; null when there is none. */
export async function parentOf(pid: number): Promise<number | null> {
  if (process.platform !== 'linux') {
    const { stdout } = await ps(['-o', 'ppid=', '-p', String(pid)]);
    return stdout.trim() === '' ? null : Number(stdout);
  }
  const parent = (await statFields(pid))?.[1];
  return parent === undefined ? null : Number(parent);
}

export async function isAlive(identity: ProcessIdentity): Promise<boolean> {
  return (await startTimeOf(identity.pid)) === identity.startTime;
}

/**
 * Processes whose environment contains exactly `NAME=value`. Only this user's processes are
 * visible; on macOS as ps shows them, without protected programs.
 */
export async function findMarked(marker: string): Promise<number[]> {
  return findByEnvironment((entries) => entries.includes(marker));
}

/**
 * Processes of this user whose environment, as a list of `NAME=value` entries, meets the condition
 * `matches`.
 */
export async function findByEnvironment(
  matches: (entries: readonly string[]) => boolean,
): Promise<number[]> {
  if (process.platform !== 'linux') return findByPs(matches);
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const found = await Promise.all(
    pids.map(async (pid) => {
      const environment = await readFile(`/proc/${pid}/environ`, 'utf8').catch(() => '');
      return matches(environment.split('\0')) ? Number(pid) : null;
    }),
  );
  return found.filter((pid): pid is number => pid !== null && pid !== process.pid);
}

/**
 * Kills all processes with the marker until none is left. Throws when one survives, which only a
 * process stuck in the kernel can.
 */
export async function killMarked(marker: string, spare: readonly number[] = []): Promise<void> {
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const pids = (await findMarked(marker)).filter((pid) => !spare.includes(pid));
    if (pids.length === 0) return;
    for (const pid of pids) sendSignal(pid, 'SIGKILL');
    await delay(ROUND_MS);
  }
  throw new Error('processes of the attempt survive KILL');
}

const OUT_OF_REACH = new Set(['ESRCH', 'EPERM']);

/**
 * Sends a signal; false when the process has ended or belongs to another user, such as one started
 * with sudo by a hook. A negative number means a group.
 */
export function sendSignal(pid: number, signal: NodeJS.Signals): boolean {
  try {
    process.kill(pid, signal);
    return true;
  } catch (error) {
    if (OUT_OF_REACH.has((error as NodeJS.ErrnoException).code ?? '')) return false;
    throw error;
  }
}

/**
 * Linux: fields of /proc/PID/stat from the third (state) on; null when there is no such process.
 */
export async function statFields(pid: number): Promise<string[] | null> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => null);
  return stat === null ? null : stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}

async function startTimeFromPs(pid: number): Promise<string | null> {
  const { stdout } = await ps(['-o', 'stat=,lstart=', '-p', String(pid)]);
  const text = stdout.trim();
  return text === '' || text.startsWith('Z') ? null : text.replace(/^\S+\s+/, '');
}

async function findByPs(matches: (entries: readonly string[]) => boolean): Promise<number[]> {
  const { stdout } = await ps(['-axwwE', '-o', 'pid=,command=']);
  return stdout
    .split('\n')
    .filter((line) => matches(line.split(' ')))
    .map((line) => Number.parseInt(line, 10))
    .filter((pid) => pid > 1 && pid !== process.pid);
}

/** ps exits with 1 when it finds nothing. */
async function ps(args: string[]): Promise<{ stdout: string }> {
  const options = { timeout: PS_TIMEOUT_MS, maxBuffer: 64 * 1024 * 1024 };
  return run('ps', args, options).catch(() => ({ stdout: '' }));
}
