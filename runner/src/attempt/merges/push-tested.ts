import { messageOf } from '@switchyard/shared/message-of';
import type { MergeSpec } from '@switchyard/shared/protocol/attempt-spec';
import { branchCommitOf } from '../../workspace/branches/diff-branches.ts';
import { findMerge } from '../../workspace/branches/find-merge.ts';
import { pushMerge } from '../../workspace/branches/merge-branch.ts';
import type { Mirror } from '../../workspace/mirror/mirror.ts';
import { repositorySource } from '../../workspace/repository-source.ts';
import { WorkspaceError } from '../../workspace/workspace.ts';
import type { AttemptContext } from '../attempt-deps.ts';
import { AttemptFailed, type Merged } from '../attempt-end.ts';
import { failureOfMergePush } from './merge-failure.ts';

const LOOK_TIMEOUT_MS = 60_000;

type Tested = { mirror: Mirror; merged: Merged };

/**
 * Asks for permission and moves the base branch to a tested merge commit. False when the base is no
 * longer where the merge began. Throws Stopped, and AttemptFailed: `merge_removed` without
 * permission.
 */
export async function pushTested(
  context: AttemptContext,
  merge: MergeSpec,
  { mirror, merged }: Tested,
): Promise<boolean> {
  const { control, deps, recorder } = context;
  await recorder.phase('delivering');
  recorder.progress({}, { phase: 'finishing' });
  await askPermit(context, merge, merged.mergeCommit);
  control.check();
  try {
    // An order to stop comes too late from here on: only a lost lease ends a push under way.
    const signal = control.lostSignal;
    await pushMerge(deps.workspaces, mirror, { base: merge.baseBranch, ...merged, signal });
    return true;
  } catch (error) {
    const now = await lookAfter(context, merge, { mirror, merged });
    if (now === 'merged') return true;
    control.check();
    const isRejected = error instanceof WorkspaceError && error.code === 'push_rejected';
    if (isRejected && now === 'moved') return false;
    throw failureOfMergePush(error);
  }
}

async function askPermit(
  { deps, ref, spec, control }: AttemptContext,
  { baseBranch: branch }: MergeSpec,
  commitSha: string,
): Promise<void> {
  const { url: repositoryUrl } = spec.repository;
  const asked = { branch, commitSha, repositoryUrl };
  const permit = await deps.uplink.permitPush(ref, asked, control.signal);
  control.check();
  if (permit.allowed) return;
  const why = permit.reason ?? `the push to ${branch} was not permitted`;
  throw new AttemptFailed('delivery_refused', why, { reasonCode: 'merge_removed' });
}

/**
 * Where the base is after a failed push: the remote may have taken a push whose answer was lost.
 * Looks also when the attempt is being stopped.
 */
async function lookAfter(
  { deps, spec, ref }: AttemptContext,
  { baseBranch }: MergeSpec,
  { mirror, merged }: Tested,
): Promise<'merged' | 'moved' | 'unmoved' | 'unknown'> {
  const { workspaces, log } = deps;
  const { path: mirrorPath } = mirror;
  try {
    const signal = AbortSignal.timeout(LOOK_TIMEOUT_MS);
    await workspaces.fetchMirror(repositorySource(spec.repository), { baseBranch, signal });
    const head = await branchCommitOf(workspaces, mirror, baseBranch);
    const commit = merged.mergeCommit;
    if ((await findMerge(workspaces, { mirrorPath, head, commit })) !== null) return 'merged';
    return head === merged.baseCommit ? 'unmoved' : 'moved';
  } catch (error) {
    log.warn('the base was not looked at after a push', { ...ref, error: messageOf(error) });
    return 'unknown';
  }
}
