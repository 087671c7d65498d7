import { messageOf } from '@switchyard/shared/message-of';
import type { ContainerExit, EngineContainer } from '../../container/container-engine.ts';
import { sleep } from '../../connection/clock.ts';
import { leaseKey } from '../../connection/lease-ref.ts';
import type { AttemptContext, AttemptDeps } from '../attempt-deps.ts';
import { closeEngineHome } from '../mounts/engine-home.ts';
import { type EngineHold, stateFolderOf } from './start-engine.ts';

const INTERRUPT_TIMEOUT_MS = 5_000;
/** Time from SIGTERM to SIGKILL at the end of an attempt. */
const STOP_GRACE_MS = 5_000;
/** Interval of retries to end a container that does not stop. */
const RETRY_STOP_MS = 5_000;

/**
 * Ends the engine and releases its resources; resolves only when its end is confirmed, however long
 * that takes. Idempotent. The workspace stays; with `keepAccess` network access stays too, for
 * following commands, until the next call.
 */
export async function endEngine(
  context: AttemptContext,
  hold: EngineHold,
  { keepAccess = false } = {},
): Promise<void> {
  const { control, recorder, deps, ref, liveness } = context;
  deps.sessions?.delete(leaseKey(ref));
  const hurry = control.order?.kind === 'fence' || control.order?.kind === 'lease_expired';
  if (hold.session !== null) {
    if (!hurry) await interruptTurn(context, hold);
    hold.session.close();
    hold.session = null;
  }
  if (hold.container !== null) {
    const { containerId } = hold.container;
    const exit = await stopForSure(deps, hold.container, hurry ? 0 : graceOf(context));
    hold.container = null;
    liveness.progress();
    const { exitCode, oom } = exit;
    const isolation = deps.containers.isolation;
    const state = 'exited';
    await recorder.event('container', { state, containerId, isolation, exitCode, oom });
    recorder.progress({}, { containerId: null });
  }
  for (const watch of hold.watches.splice(0)) {
    await attemptTo(context, 'end a watch', () => watch.end());
  }
  if (hold.granted && !keepAccess) {
    const state = stateFolderOf(deps, ref);
    await attemptTo(context, 'remove the engine state', () => deps.disk.deleteTree(state));
    await attemptTo(context, 'revoke model access', () => deps.proxy.revoke(ref));
  }
  hold.granted &&= keepAccess;
  const { home } = hold;
  hold.home = null;
  if (home !== null)
    await attemptTo(context, 'keep the engine sessions', () => closeEngineHome(deps.disk, home));
}

function graceOf(context: AttemptContext): number {
  const { order } = context.control;
  return order?.kind === 'cancel' ? order.graceMs : STOP_GRACE_MS;
}

/** Interrupts the turn, which leaves a thread that can be resumed. */
async function interruptTurn(context: AttemptContext, hold: EngineHold): Promise<void> {
  const { session } = hold;
  if (session === null || context.control.order === null) return;
  const patience = sleep(context.deps.clock, Math.min(INTERRUPT_TIMEOUT_MS, graceOf(context)));
  const interrupted = session.interrupt().catch((error: unknown) => {
    context.deps.log.info('the turn could not be interrupted', {
      ...context.ref,
      error: messageOf(error),
    });
  });
  await Promise.race([interrupted, patience]);
}

/** Retries without limit: a lease is held as long as its container may run. */
export async function stopForSure(
  deps: Pick<AttemptDeps, 'clock' | 'log'>,
  container: EngineContainer,
  graceMs: number,
): Promise<ContainerExit> {
  for (;;) {
    try {
      const exit = await container.stop(graceMs);
      await container.remove();
      return exit;
    } catch (error) {
      deps.log.error('a container does not end', {
        container: container.containerId,
        error: messageOf(error),
      });
      await sleep(deps.clock, RETRY_STOP_MS);
    }
  }
}

async function attemptTo(
  context: AttemptContext,
  what: string,
  run: () => Promise<void>,
): Promise<void> {
  try {
    await run();
  } catch (error) {
    context.deps.log.error(`could not ${what}`, { ...context.ref, error: messageOf(error) });
  }
}
