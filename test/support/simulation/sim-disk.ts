import { rm } from 'node:fs/promises';
import type { HostDisk } from '../../../runner/src/workspace/disk/host-disk.ts';

/** A disk that is never full, and that is tidied up without a process of the real world. */
export const simDisk: HostDisk = {
  deleteTree: (path) => rm(path, { recursive: true, force: true }),
  freeRoom: () =>
    Promise.resolve({ bytes: 2 ** 42, entries: Number.POSITIVE_INFINITY, totalEntries: 0 }),
};
