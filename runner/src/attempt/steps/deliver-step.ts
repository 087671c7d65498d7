import { baseOfWork } from '@switchyard/shared/reasons/base-of-work';
import { NEEDS_PERSON } from '@switchyard/shared/reasons/needs-person';
import { workInProgressRef } from '@switchyard/shared/protocol/work-in-progress-ref';
import { workspaceKeyOf } from '@switchyard/shared/protocol/workspace-key';
import { messageOf } from '@switchyard/shared/message-of';
import { sleep } from '../../connection/clock.ts';
import { isHooksTree } from '../../workspace/hooks-tree.ts';
import { repositorySource } from '../../workspace/repository-source.ts';
import { isFaultOfWork } from '../../workspace/objects/fault-of-work.ts';
import { NO_DIFFERENCE } from '../../workspace/objects/snapshot.ts';
import { outsideScope } from '../../workspace/push-checks/outside-scope.ts';
import {
  type PreparedWorkspace,
  type Snapshot,
  WorkspaceError,
} from '../../workspace/workspace.ts';
import type { AttemptContext } from '../attempt-deps.ts';
import {
  type AttemptEnd,
  AttemptFailed,
  type Delivery,
  failureOfStep,
  stillToPush,
} from '../attempt-end.ts';
import { ownBranchHead } from './own-branch-head.ts';
import { refusalSummary, reviewWork } from './review-work.ts';
import { identityOf } from './prepare-step.ts';
import { leftOutText, type TakenWork, undeliverable } from '../work-findings.ts';
import { deleteHiddenRef } from '../../workspace/branches/hidden-ref.ts';
import { runInWorkspaceOf } from '../mounts/workspace-mounts.ts';
import { workMessage } from './work-message.ts';

/** Waits between retries. */
const COLLECT_AGAIN_MS = [2_000, 2_000];
/**
 * Waits between retries of requests to submodules' remotes, so that an outage of minutes costs no
 * new agent run.
 */
const RECHECK_MS = [2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000];

/**
 * Commits what the agent left, copies it to the mirror and reports its size. Throws AttemptFailed:
 * `delivery_refused` if the work itself prevents that, else `workspace_error`.
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

function lastSnapshot(context: AttemptContext, workspace: PreparedWorkspace): Promise<Snapshot> {
  const { deps, spec, ref, control } = context;
  const trying = { what: 'the work could not be collected', againMs: COLLECT_AGAIN_MS };
  return withTries(context, trying, () =>
    deps.workspaces.snapshot(runInWorkspaceOf(context, workspace, control.signal), {
      workspace,
      attemptId: ref.attemptId,
      identity: identityOf(context),
      message: workMessage(spec.issue, spec.engine.model),
      agentStopped: true,
    }),
  );
}

/** Retries failures with causes outside the work. */
export async function withTries<T>(
  { deps, recorder, control }: AttemptContext,
  { what, againMs }: { what: string; againMs: readonly number[] },
  work: () => Promise<T>,
): Promise<T> {
  for (let tries = 0; ; tries += 1) {
    try {
      return await work();
    } catch (error) {
      control.check();
      const waitMs = againMs[tries];
      if (isFaultOfWork(error) || waitMs === undefined) throw error;
      const message = `${what} and is tried again: ${messageOf(error)}`;
      await recorder.event('notice', { level: 'warning', message });
      await sleep(deps.clock, waitMs, control.signal);
      control.check();
    }
  }
}

/** The failure for work that must not be delivered at all. */
function workRefused(why: string): AttemptFailed {
  return new AttemptFailed('delivery_refused', why, { reasonCode: 'work_refused' });
}

/**
 * Reviews the work a last time and keeps it for delivery: from here on only the delivery is
 * repeated, by this or a later process. Null when there is nothing to deliver. Throws AttemptFailed
 * `delivery_refused` for forbidden content, and what `judge` throws, which runs last.
 */
export async function keepStep(
  context: AttemptContext,
  workspace: PreparedWorkspace,
  snapshot: Snapshot,
  judge: (delivery: Delivery) => Promise<void>,
): Promise<Delivery | null> {
  const { control, result } = context;
  const { commitSha, diffStat } = snapshot;
  const problem = undeliverable(snapshot);
  if (problem !== null) throw workRefused(problem);
  const leftOut = leftOutText(snapshot.aside);
  if (leftOut !== null) result.summary = [result.summary, leftOut].filter(Boolean).join('\n\n');
  if (commitSha === null || diffStat.files === 0) return null;
  const { branch } = workspace;
  try {
    const { signal } = control;
    const trying = { what: 'the work could not be looked at', againMs: RECHECK_MS };
    const refused = await withTries(context, trying, () =>
      reviewWork(context, workspace, { commitSha, ref: branch, signal }),
    );
    control.check();
    if (refused.length > 0) throw workRefused(refusalSummary(refused));
  } catch (error) {
    control.check();
    if (isFaultOfWork(error)) throw workRefused(messageOf(error));
    throw failureOfStep(error, 'workspace_error');
  }
  const delivery = await deliveryOf(context, workspace, { commitSha, diffStat });
  control.check();
  await judge(delivery);
  keep(context, delivery);
  return delivery;
}

async function deliveryOf(
  context: AttemptContext,
  workspace: PreparedWorkspace,
  { commitSha, diffStat }: Pick<Delivery, 'commitSha' | 'diffStat'>,
): Promise<Delivery> {
  const { branch, baseBranch, baseCommit } = workspace;
  const delivery = { branch, baseBranch, baseCommit, commitSha, diffStat, pushed: false };
  const { scope } = context.spec;
  if (scope === undefined) return delivery;
  const { deps, ref, control } = context;
  const range = { ...workspace, commitSha, signal: control.lostSignal };
  try {
    return { ...delivery, outsideScope: await outsideScope(deps.workspaces, range, scope) };
  } catch (error) {
    // Delivered anyway, since files outside the scope are not forbidden.
    deps.log.warn('the files outside the scope are not known', { ...ref, error: messageOf(error) });
    return delivery;
  }
}

function keep({ recorder, result }: AttemptContext, delivery: Delivery): void {
  recorder.progress({ delivery, summary: result.summary });
}

/**
 * As `keepStep`, for an attempt that was stopped after its last turn: uses the snapshot of that
 * time, so that no container is needed. False when something prevents delivery. Throws
 * WorkspaceError.
 */
export async function keepSnapshot(
  context: AttemptContext,
  workspace: PreparedWorkspace,
  work: TakenWork,
): Promise<boolean> {
  const { commitSha, diffStat } = work;
  if (undeliverable(work) !== null) return false;
  if (commitSha === null || diffStat.files === 0) return true;
  if (await isHooksTree(context.deps.workspaces, workspace, commitSha)) return true;
  const push = { commitSha, ref: workspace.branch };
  if ((await reviewWork(context, workspace, push)).length > 0) return false;
  keep(context, await deliveryOf(context, workspace, { commitSha, diffStat }));
  return true;
}

/**
 * Pushes the kept work under the attempt's epoch. A push that failed temporarily is left to the
 * control plane. Throws AttemptFailed `delivery_refused` when a person must act first; the work is
 * kept.
 */
export async function deliverStep(
  context: AttemptContext,
  workspace: PreparedWorkspace,
  { kept, diff }: { kept: Delivery; diff: string },
): Promise<Pick<AttemptEnd, 'delivery' | 'message'>> {
  const { control, recorder } = context;
  const diffBlob = await storeDiff(context, kept, diff);
  const delivery = { ...kept, ...(diffBlob === null ? {} : { diffBlob }) };
  recorder.progress({ delivery });
  try {
    const baseBranch = await push(context, workspace, kept.commitSha);
    await forgetHiddenRef(context, workspace);
    return { delivery: { ...delivery, baseBranch, pushed: true } };
  } catch (error) {
    control.check();
    const message = messageOf(error);
    if (error instanceof WorkspaceError && NEEDS_PERSON.has(error.code))
      throw new AttemptFailed('delivery_refused', message, { delivery });
    await recorder.event('notice', { level: 'warning', message: `not pushed yet: ${message}` });
    return stillToPush(delivery, message);
  }
}

/**
 * Key of the stored diff; null when it could not be stored, which does not prevent the delivery.
 */
async function storeDiff(
  context: AttemptContext,
  { commitSha }: Delivery,
  diff: string,
): Promise<string | null> {
  const { deps, ref, control, saved } = context;
  if (saved.commitSha === commitSha && saved.diffBlob !== null) return saved.diffBlob;
  try {
    return await deps.uplink.putBlob(ref, context.attemptToken, {
      name: 'diff',
      body: diff,
      signal: control.signal,
    });
  } catch (error) {
    control.check();
    deps.log.warn('the diff could not be stored', { ...ref, error: messageOf(error) });
    return null;
  }
}

/** Pushes and resolves with the base branch: the default one if the original is gone. */
async function push(
  context: AttemptContext,
  workspace: PreparedWorkspace,
  commitSha: string,
): Promise<string> {
  const { deps, spec, ref, control, recorder } = context;
  const { branch, mirrorPath } = workspace;
  const repositoryUrl = spec.repository.url;
  const { signal } = control;
  const { defaultBranch: configured } = spec.repository;
  const source = repositorySource(spec.repository);
  const asked = { baseBranch: workspace.baseBranch, signal };
  const { baseIsGone, defaultBranch } = await deps.workspaces.fetchMirror(source, asked);
  // Requested first: a branch that another issue owns is not a fault of this work.
  const permit = await deps.uplink.permitPush(ref, { branch, commitSha, repositoryUrl }, signal);
  control.check();
  if (!permit.allowed) {
    throw new Error(`the push was not permitted: ${permit.reason ?? 'no reason given'}`);
  }
  const { attemptId } = ref;
  const { ownCommits } = spec;
  const head = { mirrorPath, branch, commitSha, attemptId, ownCommits };
  const expectedSha = await ownBranchHead(deps.workspaces, head);
  control.check();
  const target = { mirrorPath, repositoryUrl, branch, commitSha, expectedSha };
  await deps.workspaces.push({ ...target, signal });
  await recorder.log('git', `pushed ${commitSha} to ${branch}`);
  const { baseBranch: base } = workspace;
  const meant = baseOfWork({ base, baseIsGone, remoteBase: defaultBranch, configured });
  if ('branch' in meant) return meant.branch;
  throw new WorkspaceError('base_missing', meant.missing);
}

/**
 * Removes the hidden ref, since the branch has the work now. A ref that another process moved is
 * left alone.
 */
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
      ref: workInProgressRef(workspaceKeyOf(spec)),
      expectedSha,
      signal: control.signal,
    });
    saved.hiddenSha = null;
  } catch (error) {
    deps.log.info('the hidden ref stays', { ...ref, error: messageOf(error) });
  }
}
