import { and, eq, isNull } from 'drizzle-orm';
import { commitChange } from '../../observe/events/commit-change.ts';
import type { Caller } from '../../http/caller/caller.ts';
import { runners } from '../../db/schema/runners/runners.ts';
import type { Deps } from '../../deps.ts';
import { AppError } from '../../errors.ts';
import { runnerById } from '../queries.ts';

/** Time that a draining runner has to finish before it releases its work. */
export const DRAIN_DEADLINE_MS = 900_000;

type Input = { runnerId: string; caller: Caller };

/** Stops offers to a runner until it is undrained or restarts; the work it holds continues. */
export async function drainRunner(
  deps: Pick<Deps, 'db' | 'clock' | 'connections'>,
  input: Input,
): Promise<void> {
  await setDraining(deps, { ...input, draining: true });
  deps.connections.send(input.runnerId, [{ type: 'drain', deadlineMs: DRAIN_DEADLINE_MS }]);
}

/**
 * Resumes offers to a drained runner. 409 if it is not connected: it would not learn of this and
 * release its work at the deadline.
 */
export async function undrainRunner(
  deps: Pick<Deps, 'db' | 'clock' | 'connections' | 'wake'>,
  input: Input,
): Promise<void> {
  const connected = await deps.connections.connected([input.runnerId]);
  if (!connected.has(input.runnerId) && (await runnerById(deps.db, input.runnerId)))
    throw new AppError('conflict', 'the runner is not connected', { reason: 'runner_offline' });
  await setDraining(deps, { ...input, draining: false });
  deps.connections.send(input.runnerId, [{ type: 'undrain' }]);
  deps.wake();
}

async function setDraining(
  deps: Pick<Deps, 'db' | 'clock'>,
  input: Input & { draining: boolean },
): Promise<void> {
  const { db } = deps;
  const { runnerId, caller, draining } = input;
  const nowMs = deps.clock.nowMs();
  const committed = await commitChange(deps, {
    swap: db
      .update(runners)
      .set({ draining })
      .where(and(eq(runners.runner_id, runnerId), isNull(runners.revoked_at_ms))),
    audit: {
      caller,
      operation: draining ? 'runner.drain' : 'runner.undrain',
      subject: runnerId,
    },
    events: [
      {
        type: draining ? 'runner.draining' : 'runner.undrained',
        data: { runnerId },
      },
    ],
    nowMs,
  });
  if (!committed) throw new AppError('not_found', `runner ${runnerId} not found`);
}
