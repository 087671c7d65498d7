import { assertBranchName } from '../git/branch-name.ts';
import { type CommitsDiff, diffCommits } from '../objects/diff-commits.ts';
import { mirrorCommit, updateMirror } from '../mirror/mirror.ts';
import type { Workspaces } from '../open-workspaces.ts';
import { type RepositorySource, WorkspaceError } from '../workspace.ts';

export type BranchesDiff = CommitsDiff & {
  baseCommit: string;
  branchCommit: string;
  /** Where the branch left the base: the diff starts here. */
  forkCommit: string;
};

const MAX_DIFF_BYTES = 1024 * 1024;

/** The changes of a pull request from `branch` into `base`, from a freshly fetched mirror. */
export async function diffBranches(
  workspaces: Workspaces,
  input: { source: RepositorySource; base: string; branch: string; maxBytes?: number },
): Promise<BranchesDiff> {
  assertBranchName(input.base);
  assertBranchName(input.branch);
  const mirror = await updateMirror(workspaces, input.source);
  const baseCommit = await branchCommitOf(workspaces, mirror, input.base);
  const branchCommit = await branchCommitOf(workspaces, mirror, input.branch);
  const fork = await workspaces.git.run({
    gitDir: mirror.path,
    args: ['merge-base', baseCommit, branchCommit],
    okExitCodes: [0, 1],
  });
  const forkCommit = fork.stdout.trim() || baseCommit;
  const diff = await diffCommits(workspaces, {
    mirrorPath: mirror.path,
    from: forkCommit,
    to: branchCommit,
    maxBytes: input.maxBytes ?? MAX_DIFF_BYTES,
  });
  return { ...diff, baseCommit, branchCommit, forkCommit };
}

/** Head of a branch in a mirror. Throws `branch_refused` when the repository has no such branch. */
export async function branchCommitOf(
  workspaces: Workspaces,
  mirror: { path: string; url: string },
  branch: string,
): Promise<string> {
  const commit = await mirrorCommit(workspaces, mirror.path, `refs/heads/${branch}`);
  if (commit !== null) return commit;
  throw new WorkspaceError('branch_refused', `${mirror.url} has no branch ${branch}`);
}
