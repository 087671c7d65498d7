import { messageOf } from '@switchyard/shared/message-of';
import type { MergeSpec } from '@switchyard/shared/protocol/attempt-spec';
import { branchCommitOf } from '../../workspace/branches/diff-branches.ts';
import { findMerge } from '../../workspace/branches/find-merge.ts';
import { forgetMerge, keepMerge, usedWorkspaceKey } from '../../workspace/branches/keep-merge.ts';
import { makeMerge } from '../../workspace/branches/merge-branch.ts';
import { assertBranchName } from '../../workspace/git/branch-name.ts';
import { type Mirror, mirrorCommit, mirrorPathOf } from '../../workspace/mirror/mirror.ts';
import { repositorySource } from '../../workspace/repository-source.ts';
import type { AttemptContext, ProxyGrant } from '../attempt-deps.ts';
import { type AttemptEnd, AttemptFailed, type Merged } from '../attempt-end.ts';
import { grantAccess } from '../session/grant-access.ts';
import type { EngineHold } from '../session/start-engine.ts';
import { identityOf } from '../steps/prepare-step.ts';
import { reportFetch } from '../steps/report-fetch.ts';
import { mergeFailure } from './merge-failure.ts';
import { pushTested } from './push-tested.ts';
import { testMerge } from './test-merge.ts';

/** How often a merge is tested on a base that moves meanwhile. */
const MAX_TESTS = 3;

/**
 * Merges a branch into its base, runs the declared checks on exactly that commit and pushes it; no
 * agent works. Completed when the base contains the branch, whoever merged it. Throws Stopped, and
 * AttemptFailed with the reasons `merge_*` and `checks_failed`, or when no checks are declared.
 */
export async function mergeAndTest(
  context: AttemptContext,
  merge: MergeSpec,
  hold: EngineHold,
): Promise<AttemptEnd> {
  // The control plane offers no such merge; what nothing has tested is not pushed even so.
  if ((context.spec.checks ?? []).length === 0) {
    const why = 'no checks are declared, so nothing would test the merge';
    throw new AttemptFailed('delivery_refused', why);
  }
  const grant = await grantAccess(context);
  hold.wayOut = grant;
  hold.companions.accessGranted();
  try {
    for (let test = 1; test <= MAX_TESTS; test += 1) {
      const merged = await mergeOnce(context, merge, { grant, companions: hold.companions });
      if (merged !== null) return { outcome: 'completed', marker: 'DONE', summary: null, merged };
      const text = `${merge.baseBranch} moved while the merge was tested (test ${test} of ${MAX_TESTS})`;
      await context.recorder.log('git', text);
      context.control.check();
    }
  } finally {
    await forget(context);
  }
  const message = `${merge.baseBranch} moved during each of ${MAX_TESTS} tests of the merge`;
  throw new AttemptFailed('delivery_refused', message, { reasonCode: 'merge_base_moved' });
}

/** Merges, tests and pushes once; null when the base moved meanwhile. */
async function mergeOnce(
  context: AttemptContext,
  merge: MergeSpec,
  access: { grant: ProxyGrant; companions: EngineHold['companions'] },
): Promise<Merged | null> {
  const { control, deps, recorder } = context;
  await recorder.phase('workspace');
  try {
    const mirror = await freshMirror(context, merge);
    const head = await branchCommitOf(deps.workspaces, mirror, merge.baseBranch);
    const commit = merge.expectedCommit;
    const found = await findMerge(deps.workspaces, { mirrorPath: mirror.path, head, commit });
    control.check();
    if (found !== null) {
      await recorder.log('git', `${merge.baseBranch} already has ${merge.branch} at ${commit}`);
      return keepMerged(context, found);
    }
    const mergeCommit = await commitMerge(context, merge, { mirror, baseCommit: head });
    control.check();
    await testMerge(context, merge, { ...access, mirrorPath: mirror.path, mergeCommit });
    control.check();
    const merged = { baseCommit: head, mergeCommit };
    if (!(await pushTested(context, merge, { mirror, merged }))) return null;
    keepMerged(context, merged);
    await recorder.log('git', `merged ${merge.branch} into ${merge.baseBranch} as ${mergeCommit}`);
    return merged;
  } catch (error) {
    control.check();
    throw mergeFailure(error);
  }
}

async function freshMirror(context: AttemptContext, merge: MergeSpec): Promise<Mirror> {
  const { deps, spec, control } = context;
  assertBranchName(merge.baseBranch);
  assertBranchName(merge.branch);
  const source = repositorySource(spec.repository);
  const stopTelling = reportFetch(context, source);
  try {
    const { baseBranch } = merge;
    return await deps.workspaces.fetchMirror(source, { baseBranch, signal: control.signal });
  } finally {
    stopTelling();
  }
}

/** Makes the merge commit and keeps it in the mirror. */
async function commitMerge(
  context: AttemptContext,
  merge: MergeSpec,
  { mirror, baseCommit }: { mirror: Mirror; baseCommit: string },
): Promise<string> {
  const { workspaces } = context.deps;
  const { baseBranch: base, branch, expectedCommit: branchCommit, message } = merge;
  const { path: mirrorPath } = mirror;
  const branchHead = await mirrorCommit(workspaces, mirrorPath, `refs/heads/${branch}`);
  if (branchHead !== branchCommit) {
    const now = branchHead === null ? 'is gone' : `is at ${branchHead}`;
    const why = `${branch} ${now}, and the commit to merge is ${branchCommit}`;
    throw new AttemptFailed('delivery_refused', why, { reasonCode: 'merge_branch_moved' });
  }
  const identity = identityOf(context);
  const commits = { base, branch, baseCommit, branchCommit };
  const mergeCommit = await makeMerge(workspaces, mirrorPath, {
    ...commits,
    message,
    identity,
  }).catch((error: unknown) => {
    throw mergeFailure(error, baseCommit);
  });
  await keepMerge(workspaces, { mirrorPath, key: usedWorkspaceKey(context.spec), mergeCommit });
  return mergeCommit;
}

/** From here on the attempt reports the merge, however it ends. */
function keepMerged({ recorder, result }: AttemptContext, merged: Merged): Merged {
  result.marker = 'DONE';
  recorder.progress({ merged, marker: 'DONE' });
  return merged;
}

async function forget({ deps, spec, ref }: AttemptContext): Promise<void> {
  const { workspaces, log } = deps;
  const key = usedWorkspaceKey(spec);
  try {
    const mirrorPath = mirrorPathOf(workspaces, repositorySource(spec.repository));
    await forgetMerge(workspaces, { mirrorPath, key });
    log.info('the test of a merge was cleaned up', { ...ref, workspace: key });
  } catch (error) {
    log.warn('the test of a merge was not cleaned up', { ...ref, error: messageOf(error) });
  }
}
