import { and, eq } from 'drizzle-orm';
import { commitChange } from '../../observe/events/commit-change.ts';
import { runners } from '../../db/schema/runners/runners.ts';
import type { Deps } from '../../deps.ts';
import type { RunnerSession } from '../session/runner-session.ts';

/** Records that a session's socket has closed and ends its calls. Its leases continue. */
export async function recordDisconnect(
  deps: Pick<Deps, 'db' | 'clock' | 'connections'>,
  session: RunnerSession,
): Promise<void> {
  if (session.session === null) return;
  const nowMs = deps.clock.nowMs();
  // After a newer session began, the runner still counts as connected.
  if (
    await commitChange(deps, {
      swap: deps.db
        .update(runners)
        .set({ connected: false, last_seen_at_ms: nowMs })
        .where(and(eq(runners.runner_id, session.runnerId), eq(runners.session, session.session))),
      events: [{ type: 'runner.disconnected', data: { runnerId: session.runnerId } }],
      nowMs,
    })
  ) {
    deps.connections.abandon(session.runnerId);
  }
}
