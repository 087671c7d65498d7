import { messageOf } from '@switchyard/shared/message-of';
import type { PreparedWorkspace } from '../workspace/workspace.ts';
import { type StopOrder, Stopped } from './attempt-control.ts';
import type { AttemptContext } from './attempt-deps.ts';
import { type AttemptEnd, AttemptFailed, type Delivery, stillToPush } from './attempt-end.ts';
import { putBackStopped } from './checks/check-tree.ts';
import { collectArtifacts } from './artifacts/collect-artifacts.ts';
import { failingObjection } from './checks/failing-objection.ts';
import { isKnownToFail } from './checks/keep-result.ts';
import { refuseFailing, refuseStrayFiles } from './checks/refuse-failing.ts';
import { takeCheckpoint } from './steps/take-checkpoint.ts';
import { deliverStep, keepSnapshot, keepStep, snapshotStep } from './steps/deliver-step.ts';
import { createCompanions } from './create-companions.ts';
import { endEngine } from './session/end-engine.ts';
import { mergeAndTest } from './merges/merge-and-test.ts';
import { grantAccess } from './session/grant-access.ts';
import { afterRunStep, prepareStep } from './steps/prepare-step.ts';
import { objectionText, reviewWork } from './steps/review-work.ts';
import { type EngineHold, startEngineStep } from './session/start-engine.ts';
import { freshThread, threadStep } from './steps/thread-step.ts';
import { withNotices } from './steps/continuation-text.ts';
import { faultText, findingsText } from './work-findings.ts';
import { type TurnsStart, turnsStep } from './steps/turns-step.ts';

/**
 * Runs one attempt from its grant to its end; never rejects. Null when its lease was lost or
 * released, so that nothing is reported.
 */
export function runAttempt(context: AttemptContext): Promise<AttemptEnd | null> {
  const { merge } = context.spec;
  if (merge !== undefined) return untilEnd(context, (hold) => mergeAndTest(context, merge, hold));
  return untilEnd(context, async (hold) => {
    const grant = await grantAccess(context);
    hold.wayOut = grant;
    hold.companions.accessGranted();
    const workspace = await prepareStep(context, grant, hold.companions);
    await context.recorder.phase('starting');
    const session = await startEngineStep(context, workspace, grant, hold);
    const { container, place } = hold;
    if (container === null || place === null) throw new Error('the engine step left no container');
    const thread = await threadStep(context, session, container, workspace.path);
    await hold.companions.threadOpened(place);
    await context.recorder.phase('streaming');
    const asked = thread.resumed ? context.spec.continuationPrompt : context.spec.prompt;
    const { notices = [] } = workspace;
    const firstText = withNotices(asked, notices);
    return await finishWork(context, hold, {
      firstText,
      notices,
      nextTurn: 1,
      openTurn: false,
    });
  });
}

/** Runs the steps, releases all resources and converts errors into an end. */
export async function untilEnd(
  context: AttemptContext,
  steps: (hold: EngineHold) => Promise<AttemptEnd>,
): Promise<AttemptEnd | null> {
  const hold: EngineHold = {
    ...createCompanions(context),
    wayOut: null,
    place: null,
    container: null,
    session: null,
  };
  let end: AttemptEnd | null;
  try {
    end = await steps(hold);
  } catch (error) {
    const isFinished = await keepFinishedTurn(context, hold);
    end = endOf(context, { error, isFinished });
  }
  await endEngine(context, hold).catch((error: unknown) => {
    context.deps.log.error('the end of an attempt was not clean', {
      ...context.ref,
      error: messageOf(error),
    });
  });
  // Includes what the last report of the proxy found.
  const usage = context.usage.own;
  if (end !== null && usage !== undefined) end = { ...end, usage };
  await hold.companions.attemptEnded({ end, place: hold.place });
  return fencedForGood(context) ? null : end;
}

/**
 * Keeps the snapshot of a finished turn if the stop comes before its delivery, so that the agent
 * need not run again. Needs neither a container nor the control plane. Resolves with true when the
 * end can be reported.
 */
async function keepFinishedTurn(context: AttemptContext, hold: EngineHold): Promise<boolean> {
  const { control, result, saved, spec, deps, ref } = context;
  const isOver = deps.journal.get(ref)?.progress.turnOpen === false && result.marker !== null;
  if (control.order === null || !mayReport(control.order) || !isOver) return false;
  if (result.marker === 'BLOCKED' || spec.readOnly === true) return true;
  if (keptDelivery(context) !== null) return true;
  const workspace = hold.place?.workspace ?? null;
  if (workspace === null || saved.work === null) return false;
  if (findingsText(saved.work, workspace, { mayAsk: !saved.askedAside }) !== null) return false;
  try {
    if (await isKnownToFail(context, workspace, saved.work.commitSha)) return false;
    return await keepSnapshot(context, workspace, saved.work);
  } catch (error) {
    deps.log.warn('the work of a finished turn was not kept', { ...ref, error: messageOf(error) });
    return false;
  }
}

/** Turns, end of the engine, and delivery: the same for new and adopted attempts. */
export async function finishWork(
  context: AttemptContext,
  hold: EngineHold,
  start: TurnsStart,
): Promise<AttemptEnd> {
  const { control, recorder, result } = context;
  const { session, container, place, companions, model } = hold;
  if (session === null || container === null || place === null)
    throw new Error('no engine is running');
  const { workspace, home } = place;
  await turnsStep(context, { session, container, companions, model }, start, {
    afterTurn: async () => {
      await companions.turnCompleted(place);
      return await objectionOf(context, hold, workspace);
    },
    freshThread: () => freshThread(context, session, container, workspace.path),
  });
  control.check();
  await recorder.phase('delivering');
  recorder.progress({}, { phase: 'finishing' });
  await endEngine(context, hold);
  control.check();
  await refuseStrayFiles(context, workspace);
  await afterRunStep(context, workspace);
  control.check();
  await collectArtifacts(context, workspace);
  const isDone = result.marker === 'DONE';
  if (context.spec.readOnly === true) return completed(context);
  const stopped = { workspace, home, agentStopped: true } as const;
  if (!isDone) {
    const taken = await snapshotStep(context, workspace).catch(asUntaken);
    control.check();
    const snapshot = taken === null ? {} : { snapshot: taken };
    await control.race(takeCheckpoint(context, { trigger: 'terminal', ...stopped, ...snapshot }));
    return completed(context);
  }
  const snapshot = await snapshotStep(context, workspace);
  control.check();
  const kept = await keepStep(context, workspace, snapshot, (delivery) =>
    refuseFailing(context, workspace, { wayOut: hold.wayOut, delivery }),
  );
  await control.race(takeCheckpoint(context, { trigger: 'delivering', ...stopped, snapshot }));
  if (kept === null) return completed(context);
  const delivered = await deliverStep(context, workspace, { kept, diff: snapshot.diff });
  return { ...completed(context), ...delivered };
}

/** Work that cannot be taken stays in the workspace, and the agent's own marker counts. */
function asUntaken(error: unknown): null {
  if (error instanceof AttemptFailed) return null;
  throw error;
}

/** The end of an attempt whose agent ended by itself. */
function completed(context: AttemptContext): AttemptEnd {
  return { outcome: 'completed', ...resultOf(context) };
}

function resultOf({ result, usage: { own: usage } }: AttemptContext) {
  const { marker, summary } = result;
  return { marker, summary, ...(usage === undefined ? {} : { usage }) };
}

/** What the agent must fix before it counts as done; null when nothing. */
async function objectionOf(
  context: AttemptContext,
  { wayOut }: EngineHold,
  workspace: PreparedWorkspace,
): Promise<string | null> {
  const { saved } = context;
  if (context.result.marker !== 'DONE' || context.spec.readOnly) return null;
  if (saved.fault !== null) return faultText(saved.fault, workspace);
  const found = saved.work && findingsText(saved.work, workspace, { mayAsk: !saved.askedAside });
  if (found !== null) {
    saved.askedAside ||= saved.work?.problems.length === 0;
    context.recorder.progress({ askedAside: saved.askedAside });
    return found;
  }
  const { commitSha } = saved;
  if (commitSha === null) return null;
  try {
    const { signal } = context.control;
    const at = { commitSha, ref: workspace.branch, signal };
    const problems = await reviewWork(context, workspace, at);
    if (problems.length > 0) return objectionText(problems, workspace.baseCommit);
    return await failingObjection(context, workspace, { commitSha, wayOut });
  } catch (error) {
    await putBackStopped(context, workspace);
    // The delivery checks again, and its failure counts.
    context.deps.log.warn('the work was not checked', { ...context.ref, error: messageOf(error) });
    return null;
  }
}

/** A lease that is lost during clean-up also prevents the report. */
function fencedForGood({ control }: AttemptContext): boolean {
  return control.order !== null && !mayReport(control.order);
}

function mayReport(order: StopOrder): boolean {
  return order.kind !== 'fence' || order.mayReport;
}

function keptDelivery({ deps, ref }: AttemptContext): Delivery | null {
  return deps.journal.get(ref)?.progress.delivery ?? null;
}

/**
 * The end for an error. `isFinished`: the last turn was over, which is reported even if the lease
 * ends by itself.
 */
function endOf(
  context: AttemptContext,
  { error, isFinished }: { error: unknown; isFinished: boolean },
): AttemptEnd | null {
  const { order } = context.control;
  const result = resultOf(context);
  if (order !== null) {
    // The control plane, which knows who requested the stop, decides about finished work.
    const merged = context.deps.journal.get(context.ref)?.progress.merged;
    if (merged !== undefined) return { ...completed(context), merged };
    const delivery = keptDelivery(context);
    if (delivery !== null)
      return { ...completed(context), ...stillToPush(delivery, whyStopped(order)) };
    if (order.kind === 'cancel') return { outcome: 'cancelled', message: order.reason, ...result };
    if (order.kind === 'limit') return failed(order.failure, result);
    return isFinished ? completed(context) : null;
  }
  if (error instanceof AttemptFailed) return failed(error, result);
  const why = error instanceof Stopped ? 'the attempt stopped without a reason' : messageOf(error);
  context.deps.log.error('an attempt failed unexpectedly', { ...context.ref, error: why });
  return failed(new AttemptFailed('agent_error', why), result);
}

function whyStopped(order: StopOrder): string {
  if (order.kind === 'limit') return order.failure.message;
  if (order.kind === 'cancel') return order.reason;
  return order.kind === 'release' ? order.why : 'the lease ended without a renewal';
}

function failed(
  failure: AttemptFailed,
  result: Pick<AttemptEnd, 'marker' | 'summary' | 'usage'>,
): AttemptEnd {
  const { outcome, failureKind, reasonCode, message, resetAtMs, upstream, delivery } = failure;
  return {
    outcome,
    failureKind,
    message,
    ...result,
    ...(reasonCode === undefined ? {} : { reasonCode }),
    ...(resetAtMs === undefined ? {} : { resetAtMs }),
    ...(upstream === undefined ? {} : { upstream }),
    ...(delivery === undefined ? {} : { delivery }),
  };
}
