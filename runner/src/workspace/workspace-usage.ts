import { lstat, opendir } from 'node:fs/promises';
import { join } from 'node:path';

export type WorkspaceUsage = {
  diskBytes: number;
  lastModifiedMs: number;
  /** False when a limit or an unreadable folder kept part of it out of the sum. */
  complete: boolean;
};

/**
 * Disk space of a folder as the file system counts it, without following symlinks. Stops after
 * `maxEntries` (default 200,000) or when `signal` says so.
 */
export async function workspaceUsage(
  path: string,
  options: { maxEntries?: number; signal?: AbortSignal } = {},
): Promise<WorkspaceUsage> {
  const usage: WorkspaceUsage = { diskBytes: 0, lastModifiedMs: 0, complete: true };
  const folders = [path];
  let left = options.maxEntries ?? 200_000;
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    try {
      await add(usage, folder);
      for await (const entry of await opendir(folder)) {
        left -= 1;
        if (left < 0 || options.signal?.aborted === true) return { ...usage, complete: false };
        const entryPath = join(folder, entry.name);
        if (entry.isDirectory()) folders.push(entryPath);
        else await add(usage, entryPath);
      }
    } catch (error) {
      if (!isUnreadable(error)) throw error;
      usage.complete = false;
    }
  }
  return usage;
}

async function add(usage: WorkspaceUsage, path: string): Promise<void> {
  const found = await lstat(path);
  usage.diskBytes += found.blocks * 512;
  usage.lastModifiedMs = Math.max(usage.lastModifiedMs, Math.floor(found.mtimeMs));
}

/** Gone meanwhile, closed to us, or nested beyond the longest path. */
function isUnreadable(error: unknown): boolean {
  const code = (error as NodeJS.ErrnoException).code ?? '';
  return ['ENOENT', 'EACCES', 'EPERM', 'ENAMETOOLONG', 'ENOTDIR'].includes(code);
}
