import { workInProgressRef } from '@switchyard/shared/protocol/work-in-progress-ref';
import { sleep } from '../../connection/clock.ts';
import { messageOf } from '../../connection/log.ts';
import { isHooksTree } from '../../workspace/hooks-tree.ts';
import { isFaultOfWork } from '../../workspace/objects/fault-of-work.ts';
import { NO_DIFFERENCE } from '../../workspace/objects/snapshot.ts';
import {
  type PreparedWorkspace,
  type Snapshot,
  WorkspaceError,
} from '../../workspace/workspace.ts';
import type { AttemptContext } from '../attempt-deps.ts';
import { AttemptFailed, type Delivery, failureOfStep } from '../attempt-end.ts';
import { ownBranchHead } from './own-branch-head.ts';
import { refusalSummary, reviewWork } from './review-work.ts';
import { identityOf } from './prepare-step.ts';
import { leftOutText, undeliverable } from '../work-findings.ts';
import { deleteHiddenRef } from '../engine/work-in-progress.ts';
import { runInWorkspaceOf } from '../mounts/workspace-mounts.ts';
import { workMessage } from './work-message.ts';

const SNAPSHOT_TRIES = 3;
const BETWEEN_TRIES_MS = 2_000;

/**
 * Commits what the agent left, brings it to the mirror and shows its size. Throws AttemptFailed
 * `delivery_refused` where the work itself is the reason that this is not possible, else
 * `workspace_error`.
 */
export async function snapshotStep(
  context: AttemptContext,
  workspace: PreparedWorkspace,
): Promise<Snapshot> {
  const { deps, recorder, control } = context;
  try {
    const taken = await lastSnapshot(context, workspace);
    const isUntouched =
      taken.commitSha !== null && (await isHooksTree(deps.workspaces, workspace, taken.commitSha));
    if (isUntouched) await recorder.log('git', 'nothing differs from what the hooks had left');
    const snapshot = isUntouched ? { ...taken, ...NO_DIFFERENCE } : taken;
    const { commitSha, diffStat } = snapshot;
    await recorder.event('snapshot', { commitSha, branch: workspace.branch, diffStat });
    const leftOut = leftOutText(snapshot.aside);
    if (leftOut !== null) await recorder.event('notice', { level: 'warning', message: leftOut });
    return snapshot;
  } catch (error) {
    control.check();
    if (isFaultOfWork(error)) throw workRefused(`${error.code}: ${error.message}`);
    throw failureOfStep(error, 'workspace_error');
  }
}

/** What fails for a reason outside the work is tried again. */
async function lastSnapshot(
  context: AttemptContext,
  workspace: PreparedWorkspace,
): Promise<Snapshot> {
  const { deps, spec, ref, recorder, control } = context;
  for (let tries = 1; ; tries += 1) {
    try {
      const run = runInWorkspaceOf(context, workspace, control.signal);
      return await deps.workspaces.snapshot(run, {
        workspace,
        attemptId: ref.attemptId,
        identity: identityOf(context),
        message: workMessage(spec.issue),
        agentStopped: true,
      });
    } catch (error) {
      control.check();
      if (isFaultOfWork(error) || tries >= SNAPSHOT_TRIES) throw error;
      const message = `the work could not be collected and is tried again: ${messageOf(error)}`;
      await recorder.event('notice', { level: 'warning', message });
      await sleep(deps.clock, BETWEEN_TRIES_MS, control.signal);
      control.check();
    }
  }
}

/** Nothing of it may be delivered, by whomever. */
function workRefused(why: string): AttemptFailed {
  return new AttemptFailed('delivery_refused', why, { reasonCode: 'work_refused' });
}

/**
 * Step 6: pushes the snapshot under the attempt's epoch. Null when there is nothing to deliver.
 * Throws AttemptFailed `delivery_error` with git's words, and `delivery_refused` when a rule of the
 * remote forbids the push or the agent left what may not be delivered (`work_refused`).
 */
export async function deliverStep(
  context: AttemptContext,
  workspace: PreparedWorkspace,
  snapshot: Snapshot,
): Promise<Delivery | null> {
  const { control } = context;
  const { commitSha, diffStat } = snapshot;
  const problem = undeliverable(snapshot);
  if (problem !== null) throw workRefused(problem);
  if (commitSha === null || diffStat.files === 0) return null;
  try {
    const diffBlob = await storeDiff(context, snapshot.diff);
    control.check();
    const { branch, baseBranch, baseCommit } = workspace;
    const delivery = { branch, baseBranch, baseCommit, commitSha, diffStat, diffBlob };
    await push(context, workspace, commitSha).catch(keepingWork(delivery));
    await forgetHiddenRef(context, workspace);
    return delivery;
  } catch (error) {
    control.check();
    throw failureOfStep(error, 'delivery_error');
  }
}

/** A push that a rule forbids: the commit stays in the mirror, from where a person delivers it. */
function keepingWork(delivery: Delivery): (error: unknown) => never {
  return (error) => {
    const isRefused = error instanceof WorkspaceError && error.code === 'push_refused';
    if (!isRefused) throw error;
    throw new AttemptFailed('delivery_refused', error.message, { delivery });
  };
}

function storeDiff(context: AttemptContext, diff: string): Promise<string> {
  const { deps, ref, control } = context;
  return deps.uplink.putBlob(ref, context.attemptToken, 'diff', diff, control.signal);
}

async function push(
  context: AttemptContext,
  workspace: PreparedWorkspace,
  commitSha: string,
): Promise<void> {
  const { deps, spec, ref, control, recorder } = context;
  const { branch } = workspace;
  const repositoryUrl = spec.repository.url;
  const expectedSha = await remoteHead(context, workspace, commitSha);
  const { signal } = control;
  const refused = await reviewWork(context, workspace, { commitSha, ref: branch, signal });
  if (refused.length > 0) throw workRefused(refusalSummary(refused));
  const permit = await deps.uplink.permitPush(
    ref,
    { branch, commitSha, repositoryUrl },
    control.signal,
  );
  control.check();
  if (!permit.allowed) {
    throw new AttemptFailed(
      'delivery_error',
      `the push was not permitted: ${permit.reason ?? 'no reason given'}`,
    );
  }
  await deps.workspaces.push({
    mirrorPath: workspace.mirrorPath,
    repositoryUrl,
    branch,
    commitSha,
    expectedSha,
    signal: control.signal,
  });
  await recorder.log('git', `pushed ${commitSha} to ${branch}`);
}

/** The branch has the work now. A ref that somebody else moved meanwhile is not ours to remove. */
async function forgetHiddenRef(
  context: AttemptContext,
  workspace: PreparedWorkspace,
): Promise<void> {
  const { deps, spec, saved, control, ref } = context;
  const expectedSha = saved.hiddenSha;
  if (expectedSha === null) return;
  try {
    await deleteHiddenRef(deps.workspaces, {
      repositoryUrl: spec.repository.url,
      mirrorPath: workspace.mirrorPath,
      ref: workInProgressRef(spec.issue.identifier),
      expectedSha,
      signal: control.signal,
    });
    saved.hiddenSha = null;
  } catch (error) {
    deps.log.info('the hidden ref stays', { ...ref, error: messageOf(error) });
  }
}

/** Where the branch stands now, in a fresh mirror. */
async function remoteHead(
  context: AttemptContext,
  workspace: PreparedWorkspace,
  commitSha: string,
): Promise<string | null> {
  const { deps, spec, control } = context;
  const source = { url: spec.repository.url, defaultBranch: workspace.baseBranch };
  await deps.workspaces.updateMirror(source, control.signal);
  const { mirrorPath, branch } = workspace;
  return await ownBranchHead(deps.workspaces, { mirrorPath, branch, commitSha });
}
