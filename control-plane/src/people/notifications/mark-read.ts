import { and, eq, isNull } from 'drizzle-orm';
import type { Notification } from '@switchyard/shared/api/notification';
import { auditStatement } from '../../observe/audit/audit-statement.ts';
import type { Caller } from '../../observe/audit/caller.ts';
import { isFenced, requireChange } from '../../db/require-change.ts';
import { notifications } from '../../db/schema/people/notifications.ts';
import type { Deps } from '../../deps.ts';
import { AppError } from '../../errors.ts';
import { appendEvents } from '../../observe/events/append.ts';
import { notificationRecord } from './notification-record.ts';

/** Marks one notification read. Doing it again changes nothing. 404 for an unknown one. */
export async function markRead(
  deps: Pick<Deps, 'db' | 'clock' | 'events'>,
  input: { id: string; caller: Caller },
): Promise<Notification> {
  const [row] = await deps.db
    .select()
    .from(notifications)
    .where(eq(notifications.notification_id, input.id));
  if (row === undefined) throw new AppError('not_found', `notification ${input.id} not found`);
  if (row.read_at_ms !== null) return notificationRecord(row);
  const nowMs = deps.clock.nowMs();
  try {
    await deps.db.batch([
      deps.db
        .update(notifications)
        .set({ read_at_ms: nowMs })
        .where(and(eq(notifications.notification_id, input.id), isNull(notifications.read_at_ms))),
      requireChange(deps.db),
      auditStatement(deps.db, nowMs, input.caller, {
        operation: 'notification.read',
        subject: input.id,
      }),
      ...appendEvents(deps.db, nowMs, [
        {
          type: 'notification.read',
          atMs: nowMs,
          data: { notificationId: input.id, identifier: row.issue?.identifier ?? null },
        },
      ]),
    ]);
  } catch (error) {
    // Somebody else was faster with the same wish.
    if (!isFenced(error)) throw error;
  }
  deps.events.notify(0);
  return notificationRecord({ ...row, read_at_ms: nowMs });
}
