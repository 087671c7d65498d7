import { and, eq } from 'drizzle-orm';
import { commitChange } from '../../observe/events/commit-change.ts';
import { runners } from '../../db/schema/runners/runners.ts';
import type { Deps } from '../../deps.ts';
import { refuseSession } from '../session/refuse-session.ts';
import type { Replies, RunnerSession } from '../session/runner-session.ts';
import { sessionIsCurrent } from '../session/session-is-current.ts';

/** Marks a runner as draining: it gets no new offers, and the work it holds continues. */
export async function markDraining(
  deps: Pick<Deps, 'db' | 'clock'>,
  session: RunnerSession,
): Promise<Replies> {
  const nowMs = deps.clock.nowMs();
  const committed = await commitChange(deps, {
    swap: deps.db
      .update(runners)
      .set({ draining: true })
      .where(and(eq(runners.runner_id, session.runnerId), sessionIsCurrent(session))),
    events: [{ type: 'runner.draining', data: { runnerId: session.runnerId } }],
    nowMs,
  });
  if (!committed) return [await refuseSession(deps, session)];
  return [];
}
