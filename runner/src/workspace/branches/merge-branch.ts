import { namesText } from '@switchyard/shared/text/units/names-text';
import { assertBranchName } from '../git/branch-name.ts';
import { assertTreesFit } from '../objects/assert-trees-fit.ts';
import { shownPath } from '../git/shown-path.ts';
import { branchCommitOf } from './diff-branches.ts';
import { updateMirror } from '../mirror/mirror.ts';
import type { Workspaces } from '../open-workspaces.ts';
import { pushCommit } from './push-branch.ts';
import { type CommitIdentity, type RepositorySource, WorkspaceError } from '../workspace.ts';

export type MergeResult = {
  /** Head of the base branch after the merge. */
  mergeCommit: string;
  /** The branch was already part of the base, and nothing was pushed. */
  alreadyMerged: boolean;
};

const MAX_LISTED_FILES = 20;

/**
 * Merges a branch into the base with a merge commit, created in the mirror without a work tree and
 * pushed with a lease on the base. Throws `merge_conflict` with the files, `branch_refused` (also
 * when the branch is no longer at `expectedSha`), `push_rejected`, `limit_exceeded`, `git_failed`.
 */
export async function mergeBranch(
  workspaces: Workspaces,
  input: {
    source: RepositorySource;
    base: string;
    branch: string;
    message: string;
    identity: CommitIdentity;
    /** Head that the person saw when requesting the merge. */
    expectedSha?: string;
  },
): Promise<MergeResult> {
  assertBranchName(input.base);
  assertBranchName(input.branch);
  const mirror = await updateMirror(workspaces, input.source);
  const baseCommit = await branchCommitOf(workspaces, mirror, input.base);
  const branchCommit = await branchCommitOf(workspaces, mirror, input.branch);
  if (input.expectedSha !== undefined && input.expectedSha !== branchCommit) {
    throw new WorkspaceError('branch_refused', `${input.branch} has moved; look at it again first`);
  }
  const contained = await workspaces.git.run({
    gitDir: mirror.path,
    args: ['merge-base', '--is-ancestor', branchCommit, baseCommit],
    okExitCodes: [0, 1],
  });
  if (contained.exitCode === 0) return { mergeCommit: baseCommit, alreadyMerged: true };
  const commits = { baseCommit, branchCommit };
  const mergeCommit = await makeMerge(workspaces, mirror.path, { ...input, ...commits });
  await pushMerge(workspaces, mirror, { base: input.base, baseCommit, mergeCommit });
  return { mergeCommit, alreadyMerged: false };
}

/** A branch at a commit, and the base at one that does not contain it. */
export type MergeInput = {
  base: string;
  branch: string;
  baseCommit: string;
  branchCommit: string;
  message: string;
  identity: CommitIdentity;
};

/**
 * Makes the merge commit in the mirror without a work tree; no ref names it yet. Throws
 * `merge_conflict` with the files, `limit_exceeded`, `git_failed`.
 */
export async function makeMerge(
  workspaces: Workspaces,
  mirrorPath: string,
  input: MergeInput,
): Promise<string> {
  const { baseCommit, branchCommit } = input;
  await assertTreesFit(workspaces, { mirrorPath, roots: [baseCommit, branchCommit] });
  const tree = await mergedTree(workspaces, mirrorPath, input);
  return commitMerge(workspaces, mirrorPath, input, [tree, baseCommit, branchCommit]);
}

/**
 * Moves the base branch on the remote from `baseCommit` to the merge commit. Throws the codes of
 * `pushFailure`, among them `push_rejected` when the base is elsewhere by now, and `git_failed`.
 */
export async function pushMerge(
  workspaces: Workspaces,
  mirror: { path: string; url: string },
  merge: { base: string; baseCommit: string; mergeCommit: string; signal?: AbortSignal },
): Promise<void> {
  const { base, baseCommit, mergeCommit, signal } = merge;
  try {
    await pushCommit(workspaces, {
      mirrorPath: mirror.path,
      repositoryUrl: mirror.url,
      branch: base,
      commitSha: mergeCommit,
      expectedSha: baseCommit,
      ...(signal === undefined ? {} : { signal }),
    });
  } catch (error) {
    throw await namingItsFolder(workspaces, { url: mirror.url, base }, error);
  }
}

/**
 * Adds the folder of a working copy on this host that prevents the push, which the error itself
 * does not name.
 */
async function namingItsFolder(
  { git }: Workspaces,
  { url, base }: { url: string; base: string },
  error: unknown,
): Promise<unknown> {
  if (!(error instanceof WorkspaceError && error.code === 'push_refused')) return error;
  const found = await git.hindrance(url, base).catch(() => null);
  return found?.of === 'merge' ? new WorkspaceError('push_refused', found.message) : error;
}

async function mergedTree(
  workspaces: Workspaces,
  mirrorPath: string,
  input: { base: string; branch: string; baseCommit: string; branchCommit: string },
): Promise<string> {
  const merged = await workspaces.git.run({
    gitDir: mirrorPath,
    args: [
      'merge-tree',
      '--write-tree',
      '--name-only',
      '--no-messages',
      '-z',
      input.baseCommit,
      input.branchCommit,
    ],
    okExitCodes: [0, 1],
  });
  const [tree = '', ...files] = merged.stdout.split('\0').filter((part) => part !== '');
  if (merged.exitCode === 0) return tree.trim();
  const listed = files.slice(0, MAX_LISTED_FILES).map((file) => `"${shownPath(file)}"`);
  throw new WorkspaceError(
    'merge_conflict',
    `${input.branch} conflicts with ${input.base} in ${namesText(listed, files.length)}`,
  );
}

async function commitMerge(
  workspaces: Workspaces,
  mirrorPath: string,
  input: { message: string; identity: CommitIdentity },
  [tree, ...parents]: readonly [string, string, string],
): Promise<string> {
  const { name, email, signingKeyPath } = input.identity;
  const made = await workspaces.git.run({
    gitDir: mirrorPath,
    args: [
      'commit-tree',
      ...(signingKeyPath === undefined ? [] : [`-S${signingKeyPath}`]),
      ...parents.flatMap((parent) => ['-p', parent]),
      '-F',
      '-',
      tree,
    ],
    env: {
      GIT_AUTHOR_NAME: name,
      GIT_AUTHOR_EMAIL: email,
      GIT_COMMITTER_NAME: name,
      GIT_COMMITTER_EMAIL: email,
    },
    input: `${input.message.replaceAll('\0', '').trim()}\n`,
  });
  return made.stdout.trim();
}
