import { mirrorCommit } from '../../workspace/mirror/mirror.ts';
import { attemptRef } from '../../workspace/objects/snapshot.ts';
import type { Workspaces } from '../../workspace/open-workspaces.ts';
import { WorkspaceError } from '../../workspace/workspace.ts';

/**
 * The commit of an issue's branch in a fresh mirror, which a push may replace; null when there is
 * none. Throws `push_refused` when it has commits that neither the new one contains nor the issue
 * made: work of people and other issues is never overwritten.
 */
export async function ownBranchHead(
  workspaces: Workspaces,
  input: {
    mirrorPath: string;
    branch: string;
    commitSha: string;
    /** The pushing attempt, whose own last commit this mirror may have. */
    attemptId?: string | undefined;
    /** Commits of the attempts; undefined from an older control plane. */
    ownCommits: readonly string[] | undefined;
  },
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
  if (input.ownCommits?.includes(head) === true) return head;
  const refs = ownRefs(input);
  if (refs !== null) {
    const own = await workspaces.git.run({
      gitDir,
      args: ['for-each-ref', '--count=1', `--points-at=${head}`, refs],
    });
    if (own.stdout.trim() !== '') return head;
  }
  throw new WorkspaceError(
    'push_refused',
    `branch ${branch} has commits of somebody else or of another issue (${head}); it was not ` +
      'overwritten. Keep them under another name, delete that branch, and deliver again',
  );
}

/**
 * Pattern of refs that prove a commit to be the issue's; without `ownCommits` those of every
 * attempt here.
 */
function ownRefs({ attemptId, ownCommits }: Parameters<typeof ownBranchHead>[1]): string | null {
  if (ownCommits === undefined) return 'refs/switchyard/attempts/';
  return attemptId === undefined ? null : attemptRef(attemptId);
}
