import { eq } from 'drizzle-orm';
import { runners } from '../db/schema/runners.ts';
import type { Deps } from '../deps.ts';
import { appendEvents } from '../events/append.ts';
import type { RunnerSession } from './session.ts';

/** The runner takes nothing new; what it holds goes on. */
export async function markDraining(deps: Deps, session: RunnerSession): Promise<void> {
  const nowMs = deps.clock.nowMs();
  await deps.db.batch([
    deps.db.update(runners).set({ draining: true }).where(eq(runners.runner_id, session.runnerId)),
    ...appendEvents(deps.db, nowMs, [
      { type: 'runner.draining', atMs: nowMs, data: { runnerId: session.runnerId } },
    ]),
  ]);
  deps.events.notify(0);
}
