import { and, eq, lte } from 'drizzle-orm';
import { requests } from '../../db/schema/work/requests.ts';
import type { Deps } from '../../deps.ts';
import { appendEvents } from '../../observe/events/append-events.ts';

/**
 * Expires questions that nobody answered in time. The runner ends the agent's wait by its own
 * clock.
 */
export async function expireRequests(deps: Pick<Deps, 'db' | 'clock'>): Promise<number> {
  const nowMs = deps.clock.nowMs();
  const due = and(eq(requests.state, 'asked'), lte(requests.expires_at_ms, nowMs));
  const rows = await deps.db.select().from(requests).where(due);
  if (rows.length === 0) return 0;
  await deps.db.batch([
    deps.db.update(requests).set({ state: 'expired' }).where(due),
    ...appendEvents(
      deps.db,
      nowMs,
      rows.map((row) => ({
        type: 'request.expired',
        atMs: nowMs,
        data: { requestId: row.request_id, attemptId: row.attempt_id, identifier: row.identifier },
      })),
    ),
  ]);
  return rows.length;
}
