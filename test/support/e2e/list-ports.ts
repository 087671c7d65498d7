import { readdir, readFile, readlink } from 'node:fs/promises';
import { basename } from 'node:path';
import { socketsIn } from '../../../control-plane/cli/doctor/list-listeners.ts';
import { processesOf } from './processes-of.ts';

/** The address of what every network of the machine reaches. */
export const EVERYWHERE = 'everywhere';

/** A TCP port that a process accepts connections on. */
export type ListeningPort = {
  /** File name of the program: of a script where an interpreter runs it. */
  program: string;
  address: string;
  port: number;
};

/**
 * Every TCP port on which a process, those that it started and those that name `folder` listen
 * (Linux).
 */
export async function listPorts(root: number, folder: string): Promise<ListeningPort[]> {
  const named = (await processesOf(folder)).map(({ pid }) => pid);
  const pids = await withDescendants(new Set([root, ...named]));
  const lists = await Promise.all([...pids].map(portsOf));
  const found = lists.flat().toSorted((a, b) => a.port - b.port);
  // Children may hold a socket of their parent.
  return [...new Map(found.map((one) => [`${one.address} ${one.port}`, one])).values()];
}

async function withDescendants(roots: ReadonlySet<number>): Promise<Set<number>> {
  const names = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
  const parents = await Promise.all(names.map(async (pid) => [pid, await parentOf(pid)] as const));
  const all = new Set(roots);
  let size = 0;
  while (size !== all.size) {
    size = all.size;
    for (const [pid, parent] of parents) if (all.has(parent)) all.add(pid);
  }
  return all;
}

/** Its name, which stands in parentheses, may contain anything. */
async function parentOf(pid: number): Promise<number> {
  const stat = await readable(`/proc/${pid}/stat`);
  return Number(
    stat
      .slice(stat.lastIndexOf(')') + 1)
      .trim()
      .split(' ')[1] ?? 0,
  );
}

async function portsOf(pid: number): Promise<ListeningPort[]> {
  const descriptors = await readdir(`/proc/${pid}/fd`).catch(() => []);
  const held = await Promise.all(
    descriptors.map((name) => readlink(`/proc/${pid}/fd/${name}`).catch(() => '')),
  );
  const inodes = new Set(held.flatMap((link) => /^socket:\[(\d+)\]$/.exec(link)?.[1] ?? []));
  const tables = await Promise.all(
    ['tcp', 'tcp6'].map((name) => readable(`/proc/${pid}/net/${name}`)),
  );
  const program = programOf(await readable(`/proc/${pid}/cmdline`));
  return tables
    .flatMap(socketsIn)
    .filter(({ inode }) => inodes.has(inode))
    .map(({ address, port, everywhere }) => ({
      program,
      port,
      address: everywhere ? EVERYWHERE : address,
    }));
}

function programOf(command: string): string {
  const words = command.split('\0');
  return basename(words.slice(1).find((word) => /\.[cm]?[jt]s$/.test(word)) ?? words[0] ?? '');
}

/** Empty for a process that has ended or is not ours to look at. */
function readable(path: string): Promise<string> {
  return readFile(path, 'utf8').catch(() => '');
}
