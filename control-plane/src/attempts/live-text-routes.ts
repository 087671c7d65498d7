import { createRoute, defineOpenAPIRoute, z } from '@hono/zod-openapi';
import { LiveTextItem } from '@switchyard/shared/protocol/messages';
import { streamSSE } from 'hono/streaming';
import type { Deps } from '../deps.ts';
import { AppError } from '../errors.ts';
import { followLiveText } from './follow-live-text.ts';
import { attemptById } from './queries.ts';

/** What an agent is writing just now. The stored events have all of it once it is written. */
export function liveTextRoutes(deps: Deps) {
  return [
    defineOpenAPIRoute({
      route: createRoute({
        method: 'get',
        path: '/api/v1/attempts/{aid}/live',
        summary: 'Follow what a running attempt is writing, as Server-Sent Events',
        request: { params: z.object({ aid: z.string().max(64) }) },
        responses: {
          200: {
            description:
              'Frames of `data: {itemId, stream, text}`: a piece of an item that has not ended. ' +
              'Without ids and kept nowhere; ends with the attempt; a comment every 15 s',
            content: { 'text/event-stream': { schema: LiveTextItem.meta({ id: 'LiveText' }) } },
          },
        },
      }),
      handler: async (c) => {
        const { aid } = c.req.valid('param');
        const { liveText } = deps;
        const row = await attemptById(deps.db, aid);
        if (row === null) throw new AppError('not_found', `attempt ${aid} not found`);
        if (liveText === undefined)
          throw new AppError('unavailable', 'live text is not shown here; follow /api/v1/events');
        return streamSSE(c, async (stream) => {
          await stream.write(': connected\n\n');
          if (row.status !== 'running') return;
          const heard = await followLiveText(
            liveText,
            {
              attemptId: aid,
              isRunning: async () => (await attemptById(deps.db, aid))?.status === 'running',
            },
            {
              text: (item) => stream.writeSSE({ data: JSON.stringify(item) }),
              keepAlive: async () => void (await stream.write(': keep-alive\n\n')),
              get aborted() {
                return stream.aborted || stream.closed;
              },
            },
          );
          if (!heard) await stream.write(': too many listen already\n\n');
        });
      },
    }),
  ] as const;
}
