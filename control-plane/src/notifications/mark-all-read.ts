import { and, isNull, sql } from 'drizzle-orm';
import { commitChange } from '../observe/events/commit-change.ts';
import type { Caller } from '../http/caller/caller.ts';
import { notifications } from '../db/schema/people/notifications.ts';
import type { Deps } from '../deps.ts';

/** Marks all present notifications read, or those of one issue. Returns how many there were. */
export async function markAllRead(
  deps: Pick<Deps, 'db' | 'clock'>,
  { issue, caller }: { issue?: string | undefined; caller: Caller },
): Promise<{ ok: boolean; updated: number }> {
  const nowMs = deps.clock.nowMs();
  const unread = and(
    isNull(notifications.read_at_ms),
    issue === undefined
      ? undefined
      : sql`json_extract(${notifications.issue}, '$.identifier') = ${issue}`,
  );
  const [counted] = await deps.db
    .select({ count: sql<number>`count(*)` })
    .from(notifications)
    .where(unread);
  if ((counted?.count ?? 0) === 0) return { ok: true, updated: 0 };
  await commitChange(deps, {
    also: [deps.db.update(notifications).set({ read_at_ms: nowMs }).where(unread)],
    audit: {
      caller,
      operation: 'notification.read_all',
      ...(issue !== undefined && { subject: issue }),
    },
    events: [
      {
        type: 'notification.read',
        data: {
          notificationId: null,
          ...(issue === undefined ? { all: true } : { identifier: issue }),
        },
      },
    ],
    nowMs,
  });
  return { ok: true, updated: counted?.count ?? 0 };
}
