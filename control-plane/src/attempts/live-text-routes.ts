import { z } from '@hono/zod-openapi';
import { LiveTextItem } from '@switchyard/shared/protocol/messages';
import type { Deps } from '../deps.ts';
import { AppError } from '../errors.ts';
import { endpoint, raw } from '../http/endpoint/endpoint.ts';
import type { OpenStreams } from '../http/limits/open-streams.ts';
import { sendEventStream } from '../http/event-stream/send-event-stream.ts';
import { followLiveText } from './follow-live-text.ts';
import { attemptById, requireAttempt } from './queries.ts';

/**
 * Routes that stream what an agent is writing; the stored events contain the text once it is
 * complete.
 */
export function liveTextRoutes(deps: Pick<Deps, 'db' | 'liveText'> & { streams: OpenStreams }) {
  return [
    endpoint({
      at: 'GET /api/v1/attempts/{aid}/live',
      summary: 'Follow what a running attempt is writing, as Server-Sent Events',
      params: z.object({ aid: z.string().max(64) }),
      answer: raw(
        'text/event-stream',
        'Frames of `data: {itemId, stream, text}`: a piece of an item that has not ended. ' +
          'Without ids and kept nowhere; ends with the attempt; a comment every 15 s',
        LiveTextItem.meta({ id: 'LiveText' }),
      ),
      refusals: { 503: 'Live text is not shown here; `/api/v1/events` has it once it is written' },
      handler: async ({ c, params: { aid } }) => {
        const { liveText } = deps;
        const row = await requireAttempt(deps.db, aid);
        if (liveText === undefined)
          throw new AppError('unavailable', 'live text is not shown here; follow /api/v1/events');
        return sendEventStream(c, deps.streams, async (stream) => {
          if (row.status !== 'running') return;
          const followed = await followLiveText(
            liveText,
            {
              attemptId: aid,
              isRunning: async () => (await attemptById(deps.db, aid))?.status === 'running',
              keepAliveMs: deps.streams.keepAliveMs,
            },
            {
              text: (item) => stream.write(`data: ${JSON.stringify(item)}\n\n`),
              keepAlive: () => stream.write(': keep-alive\n\n'),
              onAbort: (then) => stream.onEnd(then),
              get aborted() {
                return stream.ended;
              },
            },
          );
          if (!followed) await stream.write(': too many listen already\n\n');
        });
      },
    }),
  ] as const;
}

/** Whether a request path is that of an attempt's live text. */
export function isLiveTextPath(path: string): boolean {
  return /^\/api\/v1\/attempts\/[^/]+\/live$/.test(path);
}
