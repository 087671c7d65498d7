import { and, eq } from 'drizzle-orm';
import { isFenced, requireChange } from '../../db/require-change.ts';
import { runners } from '../../db/schema/runners/runners.ts';
import type { Deps } from '../../deps.ts';
import { appendEvents } from '../../observe/events/append.ts';
import { refuseSession } from '../session/refuse-session.ts';
import type { Replies, RunnerSession } from '../session/session.ts';
import { sessionIsCurrent } from '../session/session-is-current.ts';

/** The runner takes nothing new; what it holds goes on. */
export async function markDraining(deps: Deps, session: RunnerSession): Promise<Replies> {
  const nowMs = deps.clock.nowMs();
  try {
    await deps.db.batch([
      deps.db
        .update(runners)
        .set({ draining: true })
        .where(and(eq(runners.runner_id, session.runnerId), sessionIsCurrent(session))),
      requireChange(deps.db),
      ...appendEvents(deps.db, nowMs, [
        { type: 'runner.draining', atMs: nowMs, data: { runnerId: session.runnerId } },
      ]),
    ]);
  } catch (error) {
    if (!isFenced(error)) throw error;
    return [await refuseSession(deps, session)];
  }
  deps.events.notify(0);
  return [];
}
