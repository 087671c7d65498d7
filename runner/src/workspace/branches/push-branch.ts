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
  /** Full object id: an abbreviated or symbolic name could be ambiguous. */
  commitSha: string;
  /** Required present commit of the remote's branch; null: the branch must not exist. */
  expectedSha: string | null;
  /** Default 5 min. */
  timeoutMs?: number;
  signal?: AbortSignal;
};

const TIMEOUT_MS = 5 * 60_000;

/**
 * Moves a branch below `switchyard/` on the remote to a commit of the mirror, after uploading its
 * Git LFS objects. A no-op when the remote already has it. Throws `branch_refused`, the codes of
 * `pushFailure`, or `git_failed` on a timeout.
 */
export async function pushBranch(workspaces: Workspaces, input: PushInput): Promise<void> {
  assertOwnBranchName(input.branch);
  assertObjectId(input.commitSha);
  await uploadObjects(workspaces, input);
  await pushCommit(workspaces, input);
}

/**
 * Moves any branch on the remote to a commit of the mirror, without uploading Git LFS objects; one
 * outside `switchyard/` may move only at a person's request (a merge). Throws the errors of
 * `pushBranch`.
 */
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
