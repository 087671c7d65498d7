import { statfs } from 'node:fs/promises';

/** Free space of a file system, with its free and total inodes. */
export type FreeRoom = {
  bytes: number;
  /** Inodes for further files; infinite where the file system creates them on demand. */
  entries: number;
  totalEntries: number;
};

/** The free space of the file system of a folder of this host's own. */
export async function freeRoomOf(folder: string): Promise<FreeRoom> {
  const { bavail, bsize, ffree, files } = await statfs(folder);
  const bytes = bavail * bsize;
  if (files === 0) return { bytes, entries: Number.POSITIVE_INFINITY, totalEntries: 0 };
  return { bytes, entries: ffree, totalEntries: files };
}

/** Whether inodes are scarce; on small file systems their share counts. */
export function hasFewEntries(
  { entries, totalEntries }: FreeRoom,
  least: { entries: number; part: number },
): boolean {
  return entries < Math.min(least.entries, totalEntries * least.part);
}
