import { randomBytes } from 'node:crypto';
import { mkdir, readdir, rename, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { isOwnIdentity } from '../../container/own-identity.ts';
import { lstatOrNull } from '../disk/contained-path.ts';
import { ownFreshTree } from '../disk/own-tree.ts';
import { deleteSnapshotFolder, makeSnapshotFolder, takeFolderSnapshot } from '../disk/snapshots.ts';
import type { Workspaces } from '../open-workspaces.ts';
import { WorkspaceError } from '../workspace.ts';
import type { ClonePlan } from './clone-plan.ts';
import { initClone } from './init-clone.ts';

type Plan = Pick<ClonePlan, 'draft' | 'mirror' | 'head' | 'owner' | 'sparsePaths' | 'signal'>;

/**
 * Creates `draft` as a snapshot of a prepared checkout of `head` that no agent has seen, with an
 * empty configuration. One checkout is kept for each repository and updated to another commit by
 * `checkOut`, which writes only differences. False when the file system supports no snapshots, or
 * only some folders are wanted.
 */
export async function snapshotOfWarmCheckout(
  workspaces: Workspaces,
  plan: Plan,
  checkOut: (path: string) => Promise<void>,
): Promise<boolean> {
  const { warm } = workspaces.paths;
  if (warm === undefined || plan.sparsePaths !== undefined) return false;
  const { mirror, head, owner, draft } = plan;
  const folder = join(
    warm,
    `${basename(mirror.path)}-${owner === null || isOwnIdentity(owner) ? 'own' : owner.uid}`,
  );
  return workspaces.lock(`warm:${folder}`, async () => {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const ready = join(folder, head);
    const others = (await readdir(folder)).filter((name) => name !== head);
    if ((await lstatOrNull(ready)) === null) {
      const [from] = others;
      const made = await makeWarm(workspaces, plan, {
        from: from === undefined ? null : join(folder, from),
        checkOut,
      });
      await rename(made, ready);
    }
    for (const name of others) await deleteSnapshotFolder(join(folder, name));
    await takeFolderSnapshot(ready, draft);
    return true;
  });
}

/** Updates the previous checkout if there is one; if that fails, starts from an empty one. */
async function makeWarm(
  workspaces: Workspaces,
  plan: Plan,
  how: { from: string | null; checkOut: (path: string) => Promise<void> },
): Promise<string> {
  const { from, checkOut } = how;
  const path = join(workspaces.paths.temporary, `warm-${randomBytes(8).toString('hex')}`);
  try {
    if (from === null) {
      await makeSnapshotFolder(path);
      await initClone(workspaces, path, plan.signal);
      const alternates = join(path, '.git', 'objects', 'info', 'alternates');
      await mkdir(join(alternates, '..'), { recursive: true });
      await writeFile(alternates, `${plan.mirror.objectsPath}\n`);
    } else {
      await takeFolderSnapshot(from, path);
    }
    await checkOut(path);
    await ownFreshTree(path, plan.owner);
    return path;
  } catch (error) {
    if ((await lstatOrNull(path)) !== null) await deleteSnapshotFolder(path);
    if (from === null || !(error instanceof WorkspaceError)) throw error;
    return makeWarm(workspaces, plan, { from: null, checkOut });
  }
}
