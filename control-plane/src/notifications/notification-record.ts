import type { Notification } from '@switchyard/shared/api/notification';
import type { NotificationRow } from '../db/schema/people/notifications.ts';

/** A notification as the API and webhook channels show it. */
export function notificationRecord(row: NotificationRow): Notification {
  return {
    id: row.notification_id,
    type: row.type,
    severity: row.severity,
    timestamp: new Date(row.created_at_ms).toISOString(),
    message: row.message,
    issue: row.issue,
    attempt: row.attempt,
    ...(Object.keys(row.metadata).length === 0 ? {} : { metadata: row.metadata }),
    ...(row.dedupe_key === null ? {} : { dedupeKey: row.dedupe_key }),
    read: row.read_at_ms !== null,
    readAt: row.read_at_ms === null ? null : new Date(row.read_at_ms).toISOString(),
  };
}
