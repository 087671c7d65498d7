import { messageOf } from '@switchyard/shared/message-of';
import type { ContainerExit, EngineContainer } from '../../container/container-engine.ts';
import { sleep } from '../../connection/clock.ts';
import type { EngineSession } from '../../engine/agent-engine.ts';
import type { AttemptContext, AttemptDeps } from '../attempt-deps.ts';
import type { EngineHold } from './start-engine.ts';

const INTERRUPT_TIMEOUT_MS = 5_000;
/** Time from SIGTERM to SIGKILL at the end of an attempt. */
const STOP_GRACE_MS = 5_000;
/** Interval of retries to end a container that does not stop. */
const RETRY_STOP_MS = 5_000;

/**
 * Ends the engine; resolves only when its end is confirmed, however long that takes. Idempotent.
 * The workspace stays, and so does the network access where checks follow.
 */
export async function endEngine(context: AttemptContext, hold: EngineHold): Promise<void> {
  const { order } = context.control;
  const hurry = order?.kind === 'fence' || order?.kind === 'lease_expired';
  const { session, container, companions } = hold;
  companions.sessionClosing();
  try {
    if (session !== null && !hurry) await interruptTurn(context, session);
    session?.close();
  } finally {
    hold.session = null;
    try {
      if (container !== null) await endContainer(context, container, hurry ? 0 : graceOf(context));
    } finally {
      hold.container = null;
      await companions.engineEnded(hold.place);
    }
  }
}

async function endContainer(
  context: AttemptContext,
  container: EngineContainer,
  graceMs: number,
): Promise<void> {
  const { recorder, deps, liveness } = context;
  const { containerId } = container;
  const { exitCode, oom } = await stopForSure(deps, container, graceMs);
  liveness.progress();
  const { isolation } = deps.containers;
  await recorder.event('container', { state: 'exited', containerId, isolation, exitCode, oom });
  recorder.progress({}, { containerId: null });
}

function graceOf(context: AttemptContext): number {
  const { order } = context.control;
  return order?.kind === 'cancel' ? order.graceMs : STOP_GRACE_MS;
}

/** Interrupts the turn, which leaves a thread that can be resumed. */
async function interruptTurn(context: AttemptContext, session: EngineSession): Promise<void> {
  if (context.control.order === null) return;
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
