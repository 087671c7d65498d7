import { mirrorCommit } from '../../workspace/mirror/mirror.ts';
import type { Workspaces } from '../../workspace/open-workspaces.ts';
import { WorkspaceError } from '../../workspace/workspace.ts';

/**
 * Where a branch of ours stands in a fresh mirror, as the state a push may replace; null when it
 * is not there yet. Throws `push_refused` when it has commits that are neither in the new one nor
 * ours: people's work is never overwritten.
 */
export async function ownBranchHead(
  workspaces: Workspaces,
  input: { mirrorPath: string; branch: string; commitSha: string },
): Promise<string | null> {
  const { mirrorPath: gitDir, branch, commitSha } = input;
  const head = await mirrorCommit(workspaces, gitDir, `refs/heads/${branch}`);
  if (head === null || head === commitSha) return head;
  const contained = await workspaces.git.run({
    gitDir,
    args: ['merge-base', '--is-ancestor', head, commitSha],
    okExitCodes: [0, 1],
  });
  if (contained.exitCode === 0) return head;
  const own = await workspaces.git.run({
    gitDir,
    args: ['for-each-ref', '--count=1', `--points-at=${head}`, 'refs/switchyard/attempts/'],
  });
  if (own.stdout.trim() !== '') return head;
  throw new WorkspaceError(
    'push_refused',
    `branch ${branch} has commits of somebody else (${head}); it was not overwritten. ` +
      'Keep them under another name, delete that branch, and deliver again',
  );
}
