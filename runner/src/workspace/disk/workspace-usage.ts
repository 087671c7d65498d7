import { FolderHandle } from '../../agent-files/folder-handle.ts';
import { walkFolder } from '../../agent-files/walk-folder.ts';

export type WorkspaceUsage = {
  diskBytes: number;
  /** Number of files, folders and other entries, including the folder itself. */
  entries: number;
  lastModifiedMs: number;
  /** False when a limit or an unreadable folder excluded a part. */
  complete: boolean;
};

/**
 * Disk space of a folder as the file system counts it, without following symlinks. Stops after
 * `maxEntries` (default 200,000) or on `signal`.
 */
export async function workspaceUsage(
  path: string,
  options: { maxEntries?: number; signal?: AbortSignal } = {},
): Promise<WorkspaceUsage> {
  const usage = { diskBytes: 0, entries: 0, lastModifiedMs: 0, complete: true };
  const { maxEntries = 200_000, signal } = options;
  const cut = (): void => void (usage.complete = false);
  const add = (found: { blocks: number; mtimeMs: number } | null): void => {
    if (found === null) return cut();
    usage.entries += 1;
    usage.diskBytes += found.blocks * 512;
    usage.lastModifiedMs = Math.max(usage.lastModifiedMs, Math.floor(found.mtimeMs));
  };
  const root = await FolderHandle.open(path);
  if (root === null) return { ...usage, complete: false };
  try {
    add(await root.ownStat());
    const limits = { maxEntries, cut, ...(signal === undefined ? {} : { signal }) };
    for await (const { folder, name } of walkFolder(root, limits)) add(await folder.stat(name));
  } finally {
    await root.close();
  }
  return usage;
}
