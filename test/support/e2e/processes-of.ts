import { readdir, readFile, readlink } from 'node:fs/promises';

export type FoundProcess = { pid: number; command: string };

/** Processes whose command line, environment or working folder names the folder (Linux). */
export async function processesOf(folder: string): Promise<FoundProcess[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
  const found = await Promise.all(pids.map((pid) => look(pid, folder)));
  return found.filter((one) => one !== null);
}

async function look(pid: number, folder: string): Promise<FoundProcess | null> {
  if (pid === process.pid) return null;
  const command = (await readable(`/proc/${pid}/cmdline`)).replaceAll('\0', ' ').trim();
  const cwd = await readlink(`/proc/${pid}/cwd`).catch(() => '');
  const environment = await readable(`/proc/${pid}/environ`);
  const named = [command, cwd, environment].some((text) => text.includes(folder));
  return named ? { pid, command } : null;
}

/** Empty for a process that has ended or is not ours to look at. */
function readable(path: string): Promise<string> {
  return readFile(path, 'utf8').catch(() => '');
}
