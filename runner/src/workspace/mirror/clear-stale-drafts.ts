import { lstat, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';

/** No git of this runner writes a pack or a graph for that long. */
const STALE_AFTER_MS = 60 * 60_000;
const FOLDERS = ['objects', 'objects/pack', 'objects/info', 'objects/info/commit-graphs'];
/** Temporary packs and graphs, and locks of what is written beside objects. */
const DRAFT = /^\.?tmp[-_]|\.lock$/;

/**
 * Removes from a mirror's objects what a git that was killed has left: git itself removes temporary
 * packs only in a full collection, and never its locks, which then fail every later repack.
 */
export async function clearStaleDrafts(mirrorPath: string): Promise<void> {
  for (const folder of FOLDERS) {
    const names = await readdir(join(mirrorPath, folder)).catch(nothingThere);
    for (const name of names.filter((each) => DRAFT.test(each))) {
      const path = join(mirrorPath, folder, name);
      const found = await lstat(path).catch(() => null);
      // A clock that was set back leaves dates in the future.
      const isStale = found !== null && Math.abs(Date.now() - found.mtimeMs) > STALE_AFTER_MS;
      if (isStale && found.isFile()) await rm(path, { force: true });
    }
  }
}

function nothingThere(error: unknown): string[] {
  if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
  throw error;
}
