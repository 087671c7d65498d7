import type { JournalEntry } from '../connection/journal/journal.ts';
import type { EngineContainer } from '../container/container-engine.ts';
import type { PreparedWorkspace } from '../workspace/workspace.ts';
import type { AttemptContext } from './attempt-deps.ts';
import type { AttemptEnd } from './attempt-end.ts';
import { finishWork, untilEnd } from './run-attempt.ts';
import { worldOf } from './session/grant-access.ts';
import { openSession, placeOfRunning, toolServerOf } from './session/start-engine.ts';

/** The workspace recorded in the journal; null when the attempt never got one. */
function rememberedWorkspace(entry: JournalEntry): PreparedWorkspace | null {
  const { workspacePath, objectsPath, mirrorPath, branch, baseBranch, baseCommit } = entry.progress;
  if (workspacePath === undefined || objectsPath === undefined || mirrorPath === undefined)
    return null;
  const { submoduleObjects } = entry.progress;
  if (branch === undefined || baseBranch === undefined || baseCommit === undefined) return null;
  return {
    path: workspacePath,
    objectsPath,
    mirrorPath,
    branch,
    baseBranch,
    baseCommit,
    created: false,
    ...(submoduleObjects === undefined ? {} : { submoduleObjects }),
  };
}

/** True when the container's session can be continued by a process that knows the engine's state. */
export function isAdoptable(entry: JournalEntry): boolean {
  const { threadId, turnNumber } = entry.progress;
  const inTurns = entry.phase === 'running' && threadId !== undefined && turnNumber !== undefined;
  return inTurns && entry.finish === null && rememberedWorkspace(entry) !== null;
}

/**
 * The access granted before the restart, so that new threads find their tools at the same address
 * and checks have network access.
 */
async function grantedBefore({ deps, ref, spec }: AttemptContext, { progress }: JournalEntry) {
  const { proxyTokenHash: tokenHash } = progress;
  if (tokenHash === undefined) return null;
  const { isolation } = deps.containers;
  const world = worldOf(spec);
  return (await deps.proxy.granted?.({ ref, tokenHash, isolation, world })) ?? null;
}

/**
 * Continues with an engine that a former process of this runner started: the same session, with
 * output read from the position in the journal, so that nothing is lost.
 */
export function adoptAttempt(
  context: AttemptContext,
  entry: JournalEntry,
  container: EngineContainer,
): Promise<AttemptEnd | null> {
  return untilEnd(context, async (hold) => {
    const { companions } = hold;
    hold.container = container;
    companions.accessGranted();
    const workspace = rememberedWorkspace(entry);
    const { threadId, turnNumber, turnOpen, ...before } = entry.progress;
    if (workspace === null || threadId === undefined || turnNumber === undefined) {
      throw new Error('the journal does not know enough of this attempt to go on with it');
    }
    hold.place = placeOfRunning(context, workspace);
    await companions.containerRuns({ ...hold.place, container, isAdopted: true });
    const granted = await grantedBefore(context, entry);
    hold.wayOut = granted;
    hold.session = companions.sessionOpened(
      await openSession(context, container, {
        adopted: true,
        threadId,
        workspacePath: workspace.path,
        ...(granted === null ? {} : toolServerOf(context, granted)),
        repositorySettings: context.spec.engine.repositorySettings === true,
      }),
    );
    await context.recorder.log('runner', 'the runner restarted; this attempt goes on where it was');
    if (turnOpen === true) companions.turnStarting({ isAdopted: true });
    const turnIsOver = turnOpen === false && context.result.marker !== null;
    return await finishWork(context, hold, {
      firstText: context.spec.prompt,
      nextTurn: turnOpen === true || turnIsOver ? turnNumber : turnNumber + 1,
      openTurn: turnOpen === true,
      turnIsOver,
      requestsAskedAtMs: before.requestsAskedAtMs,
      objections: before.objections,
      freshThreads: before.freshThreads,
    });
  });
}
