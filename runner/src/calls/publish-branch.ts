import type { CallParams, CallValue } from '@switchyard/shared/protocol/calls';
import { WORK_IN_PROGRESS_PREFIX } from '@switchyard/shared/protocol/work-in-progress-ref';
import { ownBranchHead } from '../attempt/steps/own-branch-head.ts';
import { fetchHiddenRef } from '../attempt/engine/work-in-progress.ts';
import { mirrorCommit, updateMirror } from '../workspace/mirror/mirror.ts';
import { pushBranch } from '../workspace/branches/push.ts';
import type { Workspaces } from '../workspace/open-workspaces.ts';
import { WorkspaceError } from '../workspace/workspace.ts';
import { repositorySource } from './repository-source.ts';

/**
 * Shows people an issue's unfinished work: its branch moves to a commit of the hidden ref. False
 * when it was there already. Throws WorkspaceError.
 */
export async function publishBranch(
  workspaces: Workspaces,
  params: CallParams<'branch.publish'>,
): Promise<CallValue<'branch.publish'>> {
  const { repository, ref, commitSha, branch } = params;
  if (!ref.startsWith(WORK_IN_PROGRESS_PREFIX) || !/^[A-Za-z0-9/_-]+$/.test(ref)) {
    throw new WorkspaceError(
      'branch_refused',
      'only work in progress of an issue can be published',
    );
  }
  const mirror = await updateMirror(workspaces, repositorySource(repository));
  const mirrorPath = mirror.path;
  if ((await mirrorCommit(workspaces, mirrorPath, commitSha)) === null) {
    await fetchHiddenRef(workspaces, { repositoryUrl: repository.url, mirrorPath, ref });
  }
  if ((await mirrorCommit(workspaces, mirrorPath, commitSha)) === null) {
    throw new WorkspaceError('git_failed', `the remote no longer has ${commitSha}`);
  }
  const expectedSha = await ownBranchHead(workspaces, { mirrorPath, branch, commitSha });
  const pushed = expectedSha !== commitSha;
  if (pushed) {
    await pushBranch(workspaces, {
      mirrorPath,
      repositoryUrl: repository.url,
      branch,
      commitSha,
      expectedSha,
    });
  }
  return { pushed, baseBranch: mirror.defaultBranch };
}
