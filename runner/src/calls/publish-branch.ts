import type { CallParams, CallValue } from '@switchyard/shared/protocol/calls';
import { WORK_IN_PROGRESS_PREFIX } from '@switchyard/shared/protocol/work-in-progress-ref';
import { ownBranchHead } from '../attempt/steps/own-branch-head.ts';
import { fetchHiddenRef, forgetHiddenRef } from '../workspace/branches/hidden-ref.ts';
import { mirrorCommit } from '../workspace/mirror/mirror.ts';
import type { WorkspacePort } from '../workspace/workspace-port.ts';
import { WorkspaceError } from '../workspace/workspace.ts';
import { repositorySource } from '../workspace/repository-source.ts';

/**
 * Publishes an issue's work: moves its branch on the remote to a commit that is in the mirror or in
 * the hidden ref (its unpublished work in progress). Succeeds also when the base branch no
 * longer exists and then returns `baseIsGone: true`. Throws WorkspaceError; see `pushFailure` for
 * the codes of a failed push.
 */
export async function publishBranch(
  workspaces: WorkspacePort,
  params: CallParams<'branch.publish'>,
): Promise<CallValue<'branch.publish'>> {
  const { repository, ref, commitSha, branch, ownCommits, baseBranch } = params;
  if (!ref.startsWith(WORK_IN_PROGRESS_PREFIX) || !/^[A-Za-z0-9/_-]+$/.test(ref)) {
    throw new WorkspaceError(
      'branch_refused',
      'only work in progress of an issue can be published',
    );
  }
  const mirror = await workspaces.fetchMirror(
    repositorySource(repository),
    baseBranch === undefined ? {} : { baseBranch },
  );
  const mirrorPath = mirror.path;
  const isKept = async () => (await mirrorCommit(workspaces, mirrorPath, commitSha)) !== null;
  const hidden = { repositoryUrl: repository.url, mirrorPath, ref };
  if (!(await isKept())) await fetchHiddenRef(workspaces, hidden).catch(unlessNotThere);
  if (!(await isKept())) {
    throw new WorkspaceError(
      'git_failed',
      `neither the mirror of this runner nor ${ref} of the remote has ${commitSha}: ` +
        'start the runner that did the work and deliver again, or retry the issue to do it anew',
    );
  }
  const asked = { mirrorPath, branch, commitSha, ownCommits };
  const expectedSha = await ownBranchHead(workspaces, asked);
  const pushed = expectedSha !== commitSha;
  if (pushed) {
    await workspaces.push({
      mirrorPath,
      repositoryUrl: repository.url,
      branch,
      commitSha,
      expectedSha,
    });
  }
  if (params.isDelivered === true) await forgetHiddenRef(workspaces, hidden, commitSha);
  const { defaultBranch, baseIsGone } = mirror;
  const isAsked = baseBranch !== undefined || baseIsGone;
  return { pushed, baseBranch: defaultBranch, ...(isAsked ? { baseIsGone } : {}) };
}

function unlessNotThere(error: unknown): void {
  const isMissing =
    error instanceof WorkspaceError && /couldn't find remote ref/i.test(error.message);
  if (!isMissing) throw error;
}
