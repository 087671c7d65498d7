import { and, eq } from 'drizzle-orm';
import { requireChange, isFenced } from '../../db/require-change.ts';
import { runners } from '../../db/schema/runners/runners.ts';
import type { Deps } from '../../deps.ts';
import { appendEvents } from '../../observe/events/append.ts';
import type { RunnerSession } from '../session/session.ts';

/** Notes that a session's socket is gone, and its calls with it. Its leases run on. */
export async function noteDisconnect(deps: Deps, session: RunnerSession): Promise<void> {
  if (session.session === null) return;
  const nowMs = deps.clock.nowMs();
  try {
    await deps.db.batch([
      deps.db
        .update(runners)
        .set({ connected: false, last_seen_at_ms: nowMs })
        .where(and(eq(runners.runner_id, session.runnerId), eq(runners.session, session.session))),
      requireChange(deps.db),
      ...appendEvents(deps.db, nowMs, [
        { type: 'runner.disconnected', atMs: nowMs, data: { runnerId: session.runnerId } },
      ]),
    ]);
    deps.calls.abandon(session.runnerId);
    deps.events.notify(0);
  } catch (error) {
    // A newer session has taken over: the runner is not disconnected.
    if (!isFenced(error)) throw error;
  }
}
