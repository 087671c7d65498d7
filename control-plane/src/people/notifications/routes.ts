import { createRoute, defineOpenAPIRoute, z } from '@hono/zod-openapi';
import { ErrorBody } from '@switchyard/shared/api/error';
import {
  Notification,
  NotificationChannelHealth,
  NotificationList,
} from '@switchyard/shared/api/notification';
import type { Deps } from '../../deps.ts';
import { callerOf } from '../../http/caller/caller.ts';
import { listChannels } from './channels/list-channels.ts';
import { markAllRead } from './mark-all-read.ts';
import { markRead } from './mark-read.ts';
import { notificationRecord } from './notification-record.ts';
import { fromCursor, toCursor } from '../../http/page-position.ts';
import { jsonContent } from '../../json-content.ts';
import { notificationPage } from './queries.ts';
import { testChannels } from './channels/test-channels.ts';

const Query = z.object({
  limit: z.coerce.number().int().min(1).max(500).default(50),
  unread: z.enum(['true', 'false']).optional().describe('true: only unread ones.'),
  cursor: z.string().max(500).optional().describe('nextCursor of the page before.'),
});

/** What people were told, and the channels that told them. */
export function notificationRoutes(deps: Deps) {
  return [
    defineOpenAPIRoute({
      route: createRoute({
        method: 'get',
        path: '/api/v1/notifications',
        summary: 'Notifications, newest first',
        request: { query: Query },
        responses: {
          200: jsonContent('A page', NotificationList),
          400: jsonContent('Bad query', ErrorBody),
        },
      }),
      handler: async (c) => {
        const { limit, unread, cursor } = c.req.valid('query');
        const after = fromCursor(cursor);
        const page = await notificationPage(deps.db, { limit, unread: unread === 'true', after });
        const last = page.more ? page.rows.at(-1) : undefined;
        return c.json(
          {
            notifications: page.rows.map(notificationRecord),
            unreadCount: page.unreadCount,
            total: page.total,
            nextCursor:
              last === undefined
                ? null
                : toCursor({ atMs: last.created_at_ms, id: last.notification_id }),
          },
          200,
        );
      },
    }),
    defineOpenAPIRoute({
      route: createRoute({
        method: 'get',
        path: '/api/v1/notifications/channels',
        summary: 'The channels and how their deliveries fare',
        responses: {
          200: jsonContent('Channels', z.object({ channels: z.array(NotificationChannelHealth) })),
        },
      }),
      handler: async (c) => c.json({ channels: await listChannels(deps) }, 200),
    }),
    defineOpenAPIRoute({
      route: createRoute({
        method: 'post',
        path: '/api/v1/notifications/read-all',
        summary: 'Mark every notification read',
        responses: {
          200: jsonContent('Done', z.object({ ok: z.boolean(), updated: z.int() })),
        },
      }),
      handler: async (c) => c.json(await markAllRead(deps, callerOf(c)), 200),
    }),
    defineOpenAPIRoute({
      route: createRoute({
        method: 'post',
        path: '/api/v1/notifications/test',
        summary: 'Send a test message over the chat channels',
        request: {
          query: z.object({
            channel: z.string().max(100).optional().describe('Only this channel, of any type.'),
          }),
        },
        responses: {
          200: jsonContent(
            'It arrived',
            z.object({ ok: z.boolean(), channels: z.array(z.string()) }),
          ),
          404: jsonContent('No such channel', ErrorBody),
          502: jsonContent('The receiver refused it or could not be reached', ErrorBody),
          503: jsonContent('No chat channel is configured', ErrorBody),
        },
      }),
      handler: async (c) => {
        const { channel } = c.req.valid('query');
        return c.json(await testChannels(deps, { channel, caller: callerOf(c) }), 200);
      },
    }),
    defineOpenAPIRoute({
      route: createRoute({
        method: 'post',
        path: '/api/v1/notifications/{id}/read',
        summary: 'Mark one notification read',
        request: { params: z.object({ id: z.string().min(1).max(200) }) },
        responses: {
          200: jsonContent('Read', Notification),
          404: jsonContent('Unknown', ErrorBody),
        },
      }),
      handler: async (c) =>
        c.json(await markRead(deps, { id: c.req.valid('param').id, caller: callerOf(c) }), 200),
    }),
  ] as const;
}
