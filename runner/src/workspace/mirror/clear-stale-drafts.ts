import { lstat, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';

/** Longer than any git process of this runner writes a pack or graph. */
const STALE_AFTER_MS = 60 * 60_000;
const FOLDERS = ['objects', 'objects/pack', 'objects/info', 'objects/info/commit-graphs'];
/** Temporary packs and graphs, and locks of files beside objects. */
const DRAFT = /^\.?tmp[-_]|\.lock$/;

/**
 * Removes files of a killed git process from a mirror's objects: git removes temporary packs only
 * in a full collection, and never its locks, which then make every later repack fail.
 */
export async function clearStaleDrafts(mirrorPath: string): Promise<void> {
  for (const folder of FOLDERS) {
    const names = await readdir(join(mirrorPath, folder)).catch(nothingThere);
    for (const name of names.filter((each) => DRAFT.test(each))) {
      const path = join(mirrorPath, folder, name);
      const found = await lstat(path).catch(() => null);
      // After the clock was set back, files may have future dates.
      const isStale = found !== null && Math.abs(Date.now() - found.mtimeMs) > STALE_AFTER_MS;
      if (isStale && found.isFile()) await rm(path, { force: true });
    }
  }
}

function nothingThere(error: unknown): string[] {
  if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
  throw error;
}
