import { z } from '@hono/zod-openapi';
import { NotificationChannelHealth } from '@switchyard/shared/api/notification';
import { endpoint, json } from '../../http/endpoint/endpoint.ts';
import { listChannels } from './list-channels.ts';
import { type TestDeps, testChannels } from './test-channels.ts';

/** Routes of the notification channels. */
export function channelRoutes(deps: TestDeps) {
  return [
    endpoint({
      at: 'GET /api/v1/notifications/channels',
      summary: 'The channels and how their deliveries fare',
      answer: json(200, 'Channels', z.object({ channels: z.array(NotificationChannelHealth) })),
      handler: async () => ({ channels: await listChannels(deps) }),
    }),
    endpoint({
      at: 'POST /api/v1/notifications/test',
      summary: 'Send a test message over the chat channels',
      query: z.object({
        channel: z.string().max(100).optional().describe('Only this channel, of any type.'),
      }),
      answer: json(200, 'It arrived', z.object({ ok: z.boolean(), channels: z.array(z.string()) })),
      refusals: {
        404: 'No such channel',
        502: 'The receiver refused it or could not be reached',
        503: 'No chat channel is configured',
      },
      handler: ({ query: { channel }, caller }) => testChannels(deps, { channel, caller }),
    }),
  ] as const;
}
