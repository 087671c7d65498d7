import { textTail } from '@switchyard/shared/text/cut-text';
import { randomBytes } from 'node:crypto';
import { statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { runProcess } from '../git/run-process.ts';
import { WorkspaceError } from '../workspace.ts';
import { deleteTree } from './delete-tree.ts';

const TIMEOUT_MS = 60_000;
const MAX_OUTPUT_BYTES = 64 * 1024;
/** BTRFS_SUPER_MAGIC of linux/magic.h. */
const BTRFS_TYPE = 0x9123683e;

/**
 * Whether folders can be copied at once, whatever their size; tested by doing it. Only btrfs with
 * its command `btrfs` can; cloning file by file (XFS) is slower than a checkout.
 */
export async function makesSnapshots(folder: string): Promise<boolean> {
  const { type } = await statfs(folder);
  if (type !== BTRFS_TYPE) return false;
  const [one, other] = ['a', 'b'].map((name) =>
    join(folder, `snapshot-${name}-${randomBytes(8).toString('hex')}`),
  ) as [string, string];
  try {
    await makeSnapshotFolder(one);
    await takeFolderSnapshot(one, other);
    return true;
  } catch (error) {
    if (!(error instanceof WorkspaceError)) throw error;
    return false;
  } finally {
    for (const path of [one, other]) await deleteTree(path);
  }
}

/** Creates an empty folder of which snapshots can be taken. Throws WorkspaceError. */
export async function makeSnapshotFolder(path: string): Promise<void> {
  await btrfs('create', [path]);
}

/** A copy of such a folder that shares its data until it is written to. Throws WorkspaceError. */
export async function takeFolderSnapshot(from: string, to: string): Promise<void> {
  await btrfs('snapshot', [from, to]);
}

/** Deletes it at once if this user may, else file by file. */
export async function deleteSnapshotFolder(path: string): Promise<void> {
  await btrfs('delete', [path]).catch(() => deleteTree(path));
}

async function btrfs(verb: string, paths: readonly string[]): Promise<void> {
  const fail = (why: string): never => {
    throw new WorkspaceError('workspace_unusable', `btrfs subvolume ${verb} failed: ${why}`);
  };
  const result = await runProcess({
    file: 'btrfs',
    args: ['subvolume', verb, ...paths],
    env: { PATH: process.env['PATH'] ?? '/usr/sbin:/usr/bin:/sbin:/bin', LC_ALL: 'C' },
    timeoutMs: TIMEOUT_MS,
    maxOutputBytes: MAX_OUTPUT_BYTES,
  }).catch((error: unknown) => fail(String(error)));
  if (result.exitCode !== 0) fail(textTail(result.stderr.trim(), 300));
}
