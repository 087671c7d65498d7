import { assertBranchName, assertOwnBranchName } from '../git/branch-name.ts';
import { TRANSFER_LIMITS } from '../git/git-limits.ts';
import { uploadObjects } from '../lfs/upload-objects.ts';
import type { Workspaces } from '../open-workspaces.ts';
import { parseRepositoryUrl } from '../git/repository-url.ts';
import { WorkspaceError } from '../workspace.ts';
import { pushFailure } from './push-failure.ts';

export type PushInput = {
  mirrorPath: string;
  repositoryUrl: string;
  branch: string;
  /** Full object id: a short or symbolic name could mean something else. */
  commitSha: string;
  /** Where the remote's branch must stand now; null: it must not exist yet. */
  expectedSha: string | null;
  /** Default 5 min. */
  timeoutMs?: number;
  signal?: AbortSignal;
};

const TIMEOUT_MS = 5 * 60_000;

/**
 * Moves a branch below `switchyard/` on the remote to a commit of the mirror, after the objects of Git
 * LFS that it needs. Fine when the remote has it already. Throws `branch_refused`, what `pushFailure` says
 * of git's and the remote's words, or, when git took too long, `git_failed`.
 */
export async function pushBranch(workspaces: Workspaces, input: PushInput): Promise<void> {
  assertOwnBranchName(input.branch);
  assertObjectId(input.commitSha);
  await uploadObjects(workspaces, input);
  await pushCommit(workspaces, input);
}

/** As pushBranch, for any branch: only what a person asked for (a merge) may move those. */
export async function pushCommit(workspaces: Workspaces, input: PushInput): Promise<void> {
  assertBranchName(input.branch);
  assertObjectId(input.commitSha);
  if (input.expectedSha !== null) assertObjectId(input.expectedSha);
  const { url } = parseRepositoryUrl(input.repositoryUrl);
  const ref = `refs/heads/${input.branch}`;
  const result = await workspaces.git.run({
    gitDir: input.mirrorPath,
    args: [
      'push',
      '--porcelain',
      '--no-verify',
      '--no-follow-tags',
      '--recurse-submodules=no',
      `--force-with-lease=${ref}:${input.expectedSha ?? ''}`,
      '--',
      url,
      `${input.commitSha}:${ref}`,
    ],
    remoteUrl: url,
    timeoutMs: input.timeoutMs ?? TIMEOUT_MS,
    limits: TRANSFER_LIMITS,
    okExitCodes: [0, 1, 128],
    ...(input.signal === undefined ? {} : { signal: input.signal }),
  });
  if (result.exitCode === 0) return;
  throw pushFailure({ url, branch: input.branch, ...result });
}

function assertObjectId(text: string): void {
  if (!/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(text)) {
    throw new WorkspaceError('git_failed', 'a full object id is needed to push');
  }
}
