import { and, eq, isNull } from 'drizzle-orm';
import type { Notification } from '@switchyard/shared/api/notification';
import { commitChange } from '../observe/events/commit-change.ts';
import type { Caller } from '../http/caller/caller.ts';
import { notifications } from '../db/schema/people/notifications.ts';
import type { Deps } from '../deps.ts';
import { AppError } from '../errors.ts';
import { notificationRecord } from './notification-record.ts';

/** Marks one notification read; idempotent. 404 for an unknown one. */
export async function markRead(
  deps: Pick<Deps, 'db' | 'clock'>,
  input: { id: string; caller: Caller },
): Promise<Notification> {
  const [row] = await deps.db
    .select()
    .from(notifications)
    .where(eq(notifications.notification_id, input.id));
  if (row === undefined) throw new AppError('not_found', `notification ${input.id} not found`);
  if (row.read_at_ms !== null) return notificationRecord(row);
  const nowMs = deps.clock.nowMs();
  // A conflict means that another request marked it first.
  await commitChange(deps, {
    swap: deps.db
      .update(notifications)
      .set({ read_at_ms: nowMs })
      .where(and(eq(notifications.notification_id, input.id), isNull(notifications.read_at_ms))),
    audit: { caller: input.caller, operation: 'notification.read', subject: input.id },
    events: [
      {
        type: 'notification.read',
        data: { notificationId: input.id, identifier: row.issue?.identifier ?? null },
      },
    ],
    nowMs,
  });
  return notificationRecord({ ...row, read_at_ms: nowMs });
}
