import { randomBytes } from 'node:crypto';
import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { lstatOrNull } from './contained-path.ts';
import { deleteTree } from './delete-tree.ts';

/**
 * Deletes whatever is at `path` below the runner's root; it is renamed first, so that a partial
 * folder never exists under its name. A no-op when nothing is there.
 */
export async function removeTree(paths: { temporary: string }, path: string): Promise<void> {
  if ((await lstatOrNull(path)) === null) return;
  const doomed = join(paths.temporary, `removed-${randomBytes(8).toString('hex')}`);
  await rename(path, doomed);
  await deleteTree(doomed);
}
