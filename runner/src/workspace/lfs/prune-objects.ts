import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Workspaces } from '../open-workspaces.ts';
import { lfsStorePath } from './store-object.ts';

/** How long objects are kept: as long as a mirror keeps refs of attempts. */
const KEPT_MS = 30 * 86_400_000;

/** Deletes old Git LFS objects beside a mirror; those needed again are fetched again. */
export function pruneObjects(
  { lock }: Pick<Workspaces, 'lock'>,
  mirrorPath: string,
  nowMs: number,
): Promise<void> {
  return lock(`lfs:${mirrorPath}`, async () => {
    const store = lfsStorePath(mirrorPath);
    const found = await readdir(store, { recursive: true, withFileTypes: true }).catch(
      (error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT') return [];
        throw error;
      },
    );
    for (const entry of found.filter((one) => one.isFile())) {
      const path = join(entry.parentPath, entry.name);
      if (nowMs - (await stat(path)).mtimeMs > KEPT_MS) await rm(path);
    }
  });
}
