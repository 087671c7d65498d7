import { z } from '@hono/zod-openapi';
import { Notification, NotificationList } from '@switchyard/shared/api/notification';
import type { Deps } from '../deps.ts';
import { markAllRead } from './mark-all-read.ts';
import { markRead } from './mark-read.ts';
import { notificationRecord } from './notification-record.ts';
import { fromCursor, nextCursor } from '../http/page-position.ts';
import { notificationPage } from './queries.ts';
import { endpoint, json } from '../http/endpoint/endpoint.ts';
import { CursorPage } from '../http/endpoint/page-limit.ts';

const Query = CursorPage.extend({
  unread: z.enum(['true', 'false']).optional().describe('true: only unread ones.'),
});

/** Routes of the notifications. */
export function notificationRoutes(deps: Pick<Deps, 'db' | 'clock'>) {
  return [
    endpoint({
      at: 'GET /api/v1/notifications',
      summary: 'Notifications, newest first',
      query: Query,
      answer: json(200, 'A page', NotificationList),
      handler: async ({ query: { limit, unread, cursor } }) => {
        const after = fromCursor(cursor);
        const page = await notificationPage(deps.db, { limit, unread: unread === 'true', after });
        return {
          notifications: page.rows.map(notificationRecord),
          unreadCount: page.unreadCount,
          total: page.total,
          nextCursor: nextCursor(page, (row) => ({
            atMs: row.created_at_ms,
            id: row.notification_id,
          })),
        };
      },
    }),
    endpoint({
      at: 'POST /api/v1/notifications/read-all',
      summary: 'Mark every notification read, or those of one issue',
      query: z.object({
        issue: z.string().min(1).max(64).optional().describe('Only what tells of this issue.'),
      }),
      answer: json(200, 'Done', z.object({ ok: z.boolean(), updated: z.int() })),
      handler: ({ query: { issue }, caller }) => markAllRead(deps, { issue, caller }),
    }),
    endpoint({
      at: 'POST /api/v1/notifications/{id}/read',
      summary: 'Mark one notification read',
      params: z.object({ id: z.string().min(1).max(200) }),
      answer: json(200, 'Read', Notification),
      refusals: { 404: 'Unknown' },
      handler: ({ params: { id }, caller }) => markRead(deps, { id, caller }),
    }),
  ] as const;
}
