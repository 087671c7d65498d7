import { and, eq, isNull } from 'drizzle-orm';
import { commitChange } from '../../observe/events/commit-change.ts';
import type { Caller } from '../../http/caller/caller.ts';
import { runners } from '../../db/schema/runners/runners.ts';
import type { Bound, Deps } from '../../deps.ts';
import { AppError } from '../../errors.ts';
import { CLOSE_REVOKED } from './is-revoked.ts';
import type { reclaimAttempt } from '../leases/reclaim-attempt.ts';
import { attemptsOfRunner } from '../queries.ts';

/**
 * Revokes a runner: its socket is closed at once, and its work goes to other runners after its
 * lease.
 */
export async function revokeRunner(
  deps: Pick<Deps, 'db' | 'clock' | 'connections' | 'wake'> & {
    reclaimAttempt: Bound<typeof reclaimAttempt>;
  },
  input: { runnerId: string; caller: Caller },
): Promise<void> {
  const { db } = deps;
  const nowMs = deps.clock.nowMs();
  const committed = await commitChange(deps, {
    swap: db
      .update(runners)
      .set({ revoked_at_ms: nowMs, connected: false })
      .where(and(eq(runners.runner_id, input.runnerId), isNull(runners.revoked_at_ms))),
    audit: { caller: input.caller, operation: 'runner.revoke', subject: input.runnerId },
    events: [
      {
        type: 'runner.disconnected',
        data: { runnerId: input.runnerId, revoked: true },
      },
    ],
    nowMs,
  });
  if (!committed) throw new AppError('not_found', `runner ${input.runnerId} not found`);
  const held = await attemptsOfRunner(db, input.runnerId);
  deps.connections.send(
    input.runnerId,
    held.map((row) => ({
      type: 'fence',
      attemptId: row.attempt_id,
      epoch: row.epoch,
      code: 'RUNNER_REVOKED',
      currentEpoch: row.epoch,
    })),
  );
  deps.connections.close(input.runnerId, CLOSE_REVOKED.code, CLOSE_REVOKED.reason);
  // An offered attempt has no container yet; a running one waits for the lease to end, so that two
  // runners never overlap.
  for (const row of held)
    if (row.status === 'queued')
      await deps.reclaimAttempt(row, { why: 'its runner was revoked', lastSeenAtMs: 0 });
  deps.wake();
}
