import { isNull, sql } from 'drizzle-orm';
import { auditStatement } from '../../observe/audit/audit-statement.ts';
import type { Caller } from '../../observe/audit/caller.ts';
import { notifications } from '../../db/schema/people/notifications.ts';
import type { Deps } from '../../deps.ts';
import { appendEvents } from '../../observe/events/append.ts';

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
  const [updated] = await deps.db.batch([
    deps.db
      .update(notifications)
      .set({ read_at_ms: nowMs })
      .where(isNull(notifications.read_at_ms)),
    auditStatement(deps.db, nowMs, caller, { operation: 'notification.read_all' }),
    ...appendEvents(deps.db, nowMs, [
      { type: 'notification.read', atMs: nowMs, data: { notificationId: null, all: true } },
    ]),
  ]);
  deps.events.notify(0);
  return { ok: true, updated: updated.rowsAffected };
}
