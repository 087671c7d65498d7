import { statfs } from 'node:fs/promises';

/** What is left of a file system, and how much of its names that is. */
export type FreeRoom = {
  bytes: number;
  /** Names for further files; infinite where the file system makes them as they are needed. */
  entries: number;
  totalEntries: number;
};

/** Of the file system of a folder of this host's own. */
export async function freeRoomOf(folder: string): Promise<FreeRoom> {
  const { bavail, bsize, ffree, files } = await statfs(folder);
  const bytes = bavail * bsize;
  if (files === 0) return { bytes, entries: Number.POSITIVE_INFINITY, totalEntries: 0 };
  return { bytes, entries: ffree, totalEntries: files };
}

/** Small file systems have few names: there the part of them counts. */
export function hasFewEntries(
  { entries, totalEntries }: FreeRoom,
  least: { entries: number; part: number },
): boolean {
  return entries < Math.min(least.entries, totalEntries * least.part);
}
