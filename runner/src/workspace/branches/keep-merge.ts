import type { AttemptSpec } from '@switchyard/shared/protocol/attempt-spec';
import { distinctKey, workspaceKeyOf } from '@switchyard/shared/protocol/workspace-key';
import { cutText } from '@switchyard/shared/text/cut-text';
import { withRefs } from '../mirror/with-refs.ts';
import type { Workspaces } from '../open-workspaces.ts';
import { refComponent } from '../ref-component.ts';
import { removeWorkspace } from '../remove-workspace.ts';

const MAX_READABLE = 100;

/**
 * Key of the workspace that an attempt uses: the issue's own, or for the test of a merge another
 * one. No issue has that key, since it ends with a hash of the issue's.
 */
export function usedWorkspaceKey(
  spec: Pick<AttemptSpec, 'merge' | 'workspaceKey' | 'issue'>,
): string {
  const key = workspaceKeyOf(spec);
  return spec.merge === undefined ? key : distinctKey(`${cutText(key, MAX_READABLE)}-merge`, key);
}

/** Keeps a merge commit, which no branch has yet, in the mirror while it is tested. */
export async function keepMerge(
  workspaces: Workspaces,
  kept: { mirrorPath: string; key: string; mergeCommit: string },
): Promise<void> {
  const { mirrorPath, key, mergeCommit } = kept;
  await withRefs(workspaces, mirrorPath, () =>
    workspaces.git.run({
      gitDir: mirrorPath,
      args: ['update-ref', refOf(key), mergeCommit],
    }),
  );
}

/** Removes what the test of a merge left: its workspace and its ref in the mirror. Idempotent. */
export async function forgetMerge(
  workspaces: Workspaces,
  { mirrorPath, key }: { mirrorPath: string; key: string },
): Promise<void> {
  await removeWorkspace(workspaces, key);
  await withRefs(workspaces, mirrorPath, () =>
    workspaces.git.run({
      gitDir: mirrorPath,
      args: ['update-ref', '-d', refOf(key)],
      // A mirror that is not there has no refs.
      okExitCodes: [0, 128],
    }),
  );
}

function refOf(key: string): string {
  return `refs/switchyard/merge/${refComponent(key)}`;
}
