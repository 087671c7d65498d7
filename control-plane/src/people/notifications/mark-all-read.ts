import { isNull, sql } from 'drizzle-orm';
import { commitChange } from '../../observe/events/commit-change.ts';
import type { Caller } from '../../observe/audit/caller.ts';
import { notifications } from '../../db/schema/people/notifications.ts';
import type { Deps } from '../../deps.ts';

/** Marks everything read that is there now. Answers how many that were. */
export async function markAllRead(
  deps: Pick<Deps, 'db' | 'clock' | 'events'>,
  caller: Caller,
): Promise<{ ok: boolean; updated: number }> {
  const nowMs = deps.clock.nowMs();
  const [counted] = await deps.db
    .select({ count: sql<number>`count(*)` })
    .from(notifications)
    .where(isNull(notifications.read_at_ms));
  if ((counted?.count ?? 0) === 0) return { ok: true, updated: 0 };
  await commitChange(deps, {
    also: [
      deps.db
        .update(notifications)
        .set({ read_at_ms: nowMs })
        .where(isNull(notifications.read_at_ms)),
    ],
    audit: { caller, operation: 'notification.read_all' },
    events: [{ type: 'notification.read', data: { notificationId: null, all: true } }],
    nowMs,
  });
  return { ok: true, updated: counted?.count ?? 0 };
}
