import { join } from 'node:path';
import type { Workspaces } from './open-workspaces.ts';
import { withRefs } from './mirror/with-refs.ts';
import { baseRef, upstreamRef } from './prepare-workspace.ts';
import { giveBackToMirror } from './submodules/borrow-from-mirror.ts';
import { removeTree } from './disk/remove-tree.ts';
import { WorkspaceError } from './workspace.ts';
import type { WorkspaceRecord } from './workspace-record.ts';
import { deleteWorkspaceRecord, readWorkspaceRecord } from './workspace-record.ts';

/**
 * Removes a workspace by its key, with its record and the refs that protect its base. Follows no
 * symlink; a symlink in the workspace's place is itself removed. Idempotent. `before` runs while
 * the workspace is locked; if it throws, the workspace stays. Throws `workspace_escape` for a key
 * that leaves the root.
 */
export async function removeWorkspace(
  workspaces: Workspaces,
  key: string,
  before?: (record: WorkspaceRecord | null, path: string) => Promise<void>,
): Promise<void> {
  const path = removablePath(workspaces, key);
  await workspaces.lock(`workspace:${key}`, async () => {
    const record = await readWorkspaceRecord(workspaces.paths.records, key).catch(forgiveDamage);
    await before?.(record, path);
    await removeTree(workspaces.paths, path);
    if (record !== null) await dropRefs(workspaces, record.mirrorPath, key);
    for (const mirrorPath of record?.submoduleMirrors ?? [])
      await giveBackToMirror(workspaces, { mirrorPath, key });
    await deleteWorkspaceRecord(workspaces.paths.records, key);
  });
}

/**
 * The path to remove: a symlink or file under a valid name may be removed; a name that leaves the
 * root is refused.
 */
function removablePath(workspaces: Workspaces, key: string): string {
  if (!/^[A-Za-z0-9_-][A-Za-z0-9._-]*$/.test(key)) {
    throw new WorkspaceError('workspace_escape', 'a workspace key cannot leave its root');
  }
  return join(workspaces.paths.workspaces, key);
}

function forgiveDamage(error: unknown): null {
  if (error instanceof WorkspaceError && error.code === 'workspace_foreign') return null;
  throw error;
}

async function dropRefs(workspaces: Workspaces, mirrorPath: string, key: string): Promise<void> {
  await withRefs(workspaces, mirrorPath, async () => {
    for (const ref of [baseRef(key), upstreamRef(key)]) {
      await workspaces.git.run({
        gitDir: mirrorPath,
        args: ['update-ref', '-d', ref],
        // A mirror that was itself removed has no refs.
        okExitCodes: [0, 128],
      });
    }
  });
}
