import { liveAttempts } from '../../attempts/queries.ts';
import { recoveryReports } from '../../db/schema/operation/leader.ts';
import type { Deps } from '../../deps.ts';

/**
 * Records which attempts were live when this instance became the leader, before it changes
 * anything.
 */
export async function beginRecovery(
  deps: Pick<Deps, 'db' | 'clock' | 'service' | 'logger'>,
): Promise<void> {
  const nowMs = deps.clock.nowMs();
  const found = await liveAttempts(deps.db);
  await deps.db
    .insert(recoveryReports)
    .values({
      report_id: `${deps.service.instanceId}:${nowMs}`,
      instance_id: deps.service.instanceId,
      started_at_ms: nowMs,
      found: found.map((row) => ({
        attemptId: row.attempt_id,
        identifier: row.identifier,
        number: row.number,
        status: row.status,
        phase: row.phase,
        runnerId: row.runner_id,
        epoch: row.epoch,
        released: row.released_at_ms !== null,
      })),
    })
    .onConflictDoNothing();
  if (found.length > 0)
    deps.logger.info('found live attempts at start', { attempts: found.length });
}
