import type { CheckpointTrigger } from '@switchyard/shared/api/work/checkpoint';
import type { TokenUsage } from '@switchyard/shared/api/work/attempt';
import { workInProgressRef } from '@switchyard/shared/protocol/work-in-progress-ref';
import { workspaceKeyOf } from '@switchyard/shared/protocol/workspace-key';
import { MAX_SUMMARY_CHARS } from '@switchyard/shared/protocol/limits';
import { cutText } from '@switchyard/shared/text/cut-text';
import { messageOf } from '@switchyard/shared/message-of';
import { withTimeLimit } from '../../connection/clock.ts';
import { askHiddenRef, pushHiddenRef } from '../../workspace/branches/hidden-ref.ts';
import { isFaultOfWork } from '../../workspace/objects/fault-of-work.ts';
import { pushBytes } from '../../workspace/push-checks/check-push.ts';
import type { PreparedWorkspace, Snapshot } from '../../workspace/workspace.ts';
import type { AttemptContext } from '../attempt-deps.ts';
import type { EngineHome } from '../companions/engine-place.ts';
import { reviewWork } from './review-work.ts';
import { identityOf } from './prepare-step.ts';
import { packLiveSession } from '../session/pack-live-session.ts';
import { packSession } from '../session/pack-session.ts';
import { runInWorkspaceOf } from '../mounts/workspace-mounts.ts';
import { problemText } from '../work-findings.ts';
import { workMessage } from './work-message.ts';

const SNAPSHOT_TIMEOUT_MS = 60_000;
const SEND_TIMEOUT_MS = 60_000;
/**
 * Larger unfinished work stays on its runner, because every turn is pushed before a person has seen
 * it. Counted as compressed objects in the mirror.
 */
const MAX_WORK_IN_PROGRESS_BYTES = 64 * 1024 * 1024;
const MAX_PROBLEMS = 10;
const MAX_PROBLEM_CHARS = 1_000;
const NO_TOKENS: TokenUsage = { input: 0, cachedInput: 0, output: 0, reasoning: 0, total: 0 };

export type CheckpointInput = {
  trigger: CheckpointTrigger;
  /** Null at the thread's start, when there is no work yet. */
  workspace: PreparedWorkspace | null;
  /** A snapshot that was already taken; otherwise one is taken here. */
  snapshot?: Snapshot;
  home: EngineHome | null;
  agentStopped: boolean;
  /**
   * Time after which the snapshot is abandoned and its container ended, as when the host is
   * stopping.
   */
  limitMs?: number;
};

/**
 * Saves outside this host what another one needs to continue: the work as a commit on a hidden ref,
 * its diff, the engine's session. What cannot be saved is reported and changes nothing else. One at
 * a time for each attempt; never rejects.
 */
export function takeCheckpoint(context: AttemptContext, input: CheckpointInput): Promise<void> {
  const next = context.saved.tail.then(() => checkpoint(context, input));
  context.saved.tail = next.catch((error: unknown) =>
    tell(context, 'a checkpoint was not stored', error),
  );
  return context.saved.tail;
}

async function checkpoint(context: AttemptContext, input: CheckpointInput): Promise<void> {
  const { saved, recorder, result, deps, ref } = context;
  const { lostSignal } = context.control;
  const threadId = deps.journal.get(ref)?.progress.threadId ?? null;
  const { workspace } = input;
  // What an agent changes that has only to read is no work.
  const worked = context.spec.readOnly === true ? null : workspace;
  // In parallel: each reads in its own container, and the next turn waits for both.
  const limit = { limitMs: SEND_TIMEOUT_MS, signal: lostSignal };
  const [snapshot, sessionBlob] = await withTimeLimit(deps.clock, limit, (signal) =>
    Promise.all([
      worked === null ? null : keepWork(context, worked, input, signal),
      threadId === null ? null : keepSession(context, input, threadId, signal),
    ]),
  );
  lostSignal.throwIfAborted();
  saved.ordinal += 1;
  recorder.progress({ checkpoints: saved.ordinal });
  await recorder.event('checkpoint', {
    ordinal: saved.ordinal,
    trigger: input.trigger,
    threadId,
    turnId: result.turnId,
    commitSha: saved.pushed ? saved.commitSha : null,
    baseCommit: workspace?.baseCommit ?? null,
    sessionBlob,
    diffBlob: saved.diffBlob,
    diffStat: snapshot?.diffStat ?? null,
    tokens: context.usage.own ?? NO_TOKENS,
    ...problemsOf(snapshot),
    // If this host is lost, the delivery has no other copy of the agent's message.
    ...(input.trigger === 'delivering' && result.summary !== null
      ? { summary: cutText(result.summary, MAX_SUMMARY_CHARS) }
      : {}),
  });
}

/** Problems of the snapshot, for a person who publishes it unfinished. */
function problemsOf(snapshot: Snapshot | null): { problems?: string[] } {
  const problems = (snapshot?.problems ?? []).slice(0, MAX_PROBLEMS);
  const texts = problems.map((problem) => cutText(problemText(problem), MAX_PROBLEM_CHARS));
  return texts.length === 0 ? {} : { problems: texts };
}

/**
 * Saves the newest state of the work: stores its diff and pushes it to the hidden ref if allowed.
 */
async function keepWork(
  context: AttemptContext,
  workspace: PreparedWorkspace,
  input: CheckpointInput,
  signal: AbortSignal,
): Promise<Snapshot | null> {
  const { saved, spec } = context;
  const snapshot = await snapshotOf(context, workspace, input);
  if (snapshot === null) return null;
  saved.work = snapshot;
  if (snapshot.commitSha === saved.commitSha) return snapshot;
  saved.commitSha = snapshot.commitSha;
  saved.diffBlob = await keepDiff(context, snapshot, signal);
  const pushes = spec.checkpoints.pushWorkInProgress && snapshot.commitSha !== null;
  saved.pushed = pushes && (await push(context, workspace, snapshot.commitSha ?? '', signal));
  return snapshot;
}

async function snapshotOf(
  context: AttemptContext,
  workspace: PreparedWorkspace,
  input: CheckpointInput,
): Promise<Snapshot | null> {
  if (input.snapshot !== undefined) return input.snapshot;
  const { deps, ref, spec, control, saved } = context;
  saved.work = null;
  saved.fault = null;
  const take = (signal: AbortSignal) =>
    deps.workspaces.snapshot(runInWorkspaceOf(context, workspace, signal), {
      workspace,
      attemptId: ref.attemptId,
      identity: identityOf(context),
      // The last snapshot may be delivered, so its message is written for reviewers.
      message: workMessage(spec.issue, spec.engine.model),
      agentStopped: input.agentStopped,
      timeoutMs: SNAPSHOT_TIMEOUT_MS,
    });
  const { lostSignal: signal } = control;
  const { limitMs } = input;
  try {
    return limitMs === undefined
      ? await take(signal)
      : await withTimeLimit(deps.clock, { limitMs, signal }, take);
  } catch (error) {
    saved.fault = isFaultOfWork(error) ? error : null;
    await tell(context, 'the work could not be saved', error);
    return null;
  }
}

async function keepDiff(
  context: AttemptContext,
  snapshot: Snapshot,
  signal: AbortSignal,
): Promise<string | null> {
  if (snapshot.diff === '') return null;
  const { deps, ref, saved } = context;
  try {
    const name = `checkpoint-${saved.ordinal + 1}.diff`;
    return await deps.uplink.putBlob(ref, context.attemptToken, {
      name,
      body: snapshot.diff,
      signal,
    });
  } catch (error) {
    await tell(context, 'the diff could not be stored', error);
    return null;
  }
}

/**
 * Pushes under a permit, so that a runner without a lease moves nothing. The first push of a lease
 * reads the ref; later ones know it. Refused work stays on this host.
 */
async function push(
  context: AttemptContext,
  workspace: PreparedWorkspace,
  commitSha: string,
  signal: AbortSignal,
): Promise<boolean> {
  const { deps, spec, saved } = context;
  const ref = workInProgressRef(workspaceKeyOf(spec));
  const at = { repositoryUrl: spec.repository.url, mirrorPath: workspace.mirrorPath, ref, signal };
  try {
    saved.hiddenSha ??= await askHiddenRef(deps.workspaces, at);
    const expectedSha = saved.hiddenSha;
    if (expectedSha === commitSha) return true;
    await checkSize(context, workspace, commitSha);
    if ((await reviewWork(context, workspace, { commitSha, ref, signal })).length > 0) return false;
    await askPermit(context, { ref, commitSha }, signal);
    await pushHiddenRef(deps.workspaces, { ...at, commitSha, expectedSha });
    saved.hiddenSha = commitSha;
    return true;
  } catch (error) {
    saved.hiddenSha = null;
    await tell(context, 'the work could not be pushed to its hidden ref', error);
    return false;
  }
}

async function checkSize(
  context: AttemptContext,
  workspace: PreparedWorkspace,
  commitSha: string,
): Promise<void> {
  const { mirrorPath, baseCommit } = workspace;
  const { saved, deps } = context;
  const { hiddenSha } = saved;
  const known = hiddenSha === null ? [baseCommit] : [baseCommit, hiddenSha];
  const bytes = await pushBytes(deps.workspaces, { mirrorPath, commitSha, known });
  const maxBytes = deps.settings.maxWorkInProgressBytes ?? MAX_WORK_IN_PROGRESS_BYTES;
  if (bytes <= maxBytes) return;
  const [size, limit] = [bytes, maxBytes].map((count) => (count / 1024 / 1024).toFixed(1));
  throw new Error(`it has ${size} MiB and at most ${limit} MiB are pushed`);
}

async function askPermit(
  context: AttemptContext,
  { ref: branch, commitSha }: { ref: string; commitSha: string },
  signal: AbortSignal,
): Promise<void> {
  const { deps, ref, spec } = context;
  const params = { branch, commitSha, repositoryUrl: spec.repository.url };
  const permit = await deps.uplink.permitPush(ref, params, signal);
  signal.throwIfAborted();
  if (!permit.allowed)
    throw new Error(`it was not permitted: ${permit.reason ?? 'no reason given'}`);
}

/** Packs the session from the live home while the engine runs, afterwards from the kept files. */
async function keepSession(
  context: AttemptContext,
  { home, agentStopped }: CheckpointInput,
  threadId: string,
  signal: AbortSignal,
): Promise<string | null> {
  const { deps, ref, spec, saved } = context;
  if (home === null || !spec.checkpoints.uploadSession) return null;
  // A database is packed only after the engine has ended.
  if (home.isDatabase && !agentStopped) return null;
  try {
    const packed = agentStopped
      ? await packSession(home.keptPath, home.isDatabase ? null : threadId)
      : await packLiveSession(context, home, threadId, signal);
    if (packed === null) return null;
    const name = `session-${saved.ordinal + 1}.json.gz`;
    return await deps.uplink.putBlob(ref, context.attemptToken, { name, body: packed, signal });
  } catch (error) {
    await tell(context, 'the session could not be stored', error);
    return null;
  }
}

async function tell(context: AttemptContext, what: string, error: unknown): Promise<void> {
  if (context.control.lostSignal.aborted) return;
  context.deps.log.warn(what, { ...context.ref, error: messageOf(error) });
  await context.recorder.event('notice', {
    level: 'warning',
    message: `${what}: ${messageOf(error)}`,
  });
}
