import { lstat } from 'node:fs/promises';
import { dirname, isAbsolute, join, sep } from 'node:path';
import type { FolderHandle } from '../../../agent-files/folder-handle.ts';

/** Files of the data folder of every runner. */
const MARKS = ['identity.json', 'spool.db'];

/** Whether an open folder is the data folder of this or another runner. */
export async function isRunnerFolder(folder: FolderHandle): Promise<boolean> {
  for (const name of MARKS) if ((await folder.stat(name))?.isFile() !== true) return false;
  return true;
}

/** Whether a path is, or is in, the data folder of a runner. */
export async function liesInRunnerFolder(path: string): Promise<boolean> {
  for (let at = path; ; at = dirname(at)) {
    const found = await Promise.all(MARKS.map((name) => lstat(join(at, name)).catch(() => null)));
    if (found.every((stats) => stats?.isFile() === true)) return true;
    if (dirname(at) === at) return false;
  }
}

/** Whether a path is a folder or inside it; both absolute and resolved. */
export function liesIn(path: string, folder: string): boolean {
  return `${path}${sep}`.startsWith(folder.endsWith(sep) ? folder : `${folder}${sep}`);
}

/** The target of a name in a folder as git resolves it: `..` after a link is not removed first. */
export function pathFrom(folder: string, name: string): string {
  return isAbsolute(name) ? name : `${folder}/${name}`;
}
