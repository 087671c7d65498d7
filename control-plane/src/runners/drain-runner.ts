import { and, eq, isNull } from 'drizzle-orm';
import { auditStatement } from '../audit/audit-statement.ts';
import type { Caller } from '../audit/caller.ts';
import { isFenced, requireChange } from '../db/require-change.ts';
import { runners } from '../db/schema/runners.ts';
import type { Deps } from '../deps.ts';
import { AppError } from '../errors.ts';
import { appendEvents } from '../events/append.ts';

/** What a draining runner has to finish before it gives work back. */
export const DRAIN_DEADLINE_MS = 900_000;

/** Offers nothing new to a runner until its process is started anew; what it holds goes on. */
export async function drainRunner(
  deps: Deps,
  input: { runnerId: string; caller: Caller },
): Promise<void> {
  const { db } = deps;
  const nowMs = deps.clock.nowMs();
  try {
    await db.batch([
      db
        .update(runners)
        .set({ draining: true })
        .where(and(eq(runners.runner_id, input.runnerId), isNull(runners.revoked_at_ms))),
      requireChange(db),
      auditStatement(db, nowMs, input.caller, {
        operation: 'runner.drain',
        subject: input.runnerId,
      }),
      ...appendEvents(db, nowMs, [
        { type: 'runner.draining', atMs: nowMs, data: { runnerId: input.runnerId } },
      ]),
    ]);
  } catch (error) {
    if (isFenced(error)) throw new AppError('not_found', `runner ${input.runnerId} not found`);
    throw error;
  }
  deps.sockets.send(input.runnerId, [{ type: 'drain', deadlineMs: DRAIN_DEADLINE_MS }]);
  deps.events.notify(0);
}
