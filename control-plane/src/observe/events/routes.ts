import { z } from '@hono/zod-openapi';
import { StreamEvent } from '@switchyard/shared/api/work/attempt';
import type { OpenStreams } from '../../http/limits/open-streams.ts';
import { sendEventStream } from '../../http/event-stream/send-event-stream.ts';
import { seqBefore } from './queries.ts';
import { endpoint, raw } from '../../http/endpoint/endpoint.ts';
import { followEvents, type StreamDeps } from './follow-events.ts';

const Query = z.object({
  after: z.coerce.number().int().min(0).optional().describe('Replay from the event after this seq'),
  last: z.coerce
    .number()
    .int()
    .min(1)
    .max(5_000)
    .optional()
    .describe('Without a place to replay from: begin so many events before now'),
  issue: z.string().max(64).optional().describe('Only events of this issue identifier'),
  types: z.string().max(2_000).optional().describe('Comma-separated event types'),
  follow: z
    .enum(['true', 'false'])
    .optional()
    .describe('`false`: end once what is stored has been sent'),
});

const LastEventId = z.object({ 'last-event-id': z.coerce.number().int().min(0).optional() });

/** Route of the Server-Sent Events stream. */
export function eventRoutes(deps: StreamDeps & { streams: OpenStreams }) {
  return [
    endpoint({
      at: 'GET /api/v1/events',
      summary: 'Follow events as Server-Sent Events',
      query: Query,
      headers: LastEventId,
      answer: raw(
        'text/event-stream',
        'Frames of `id: <seq>` and `data: <event>`; a comment every 15 s',
        StreamEvent,
      ),
      handler: async ({ c, query, headers }) => {
        const afterSeq =
          headers['last-event-id'] ?? query.after ?? (await seqBefore(deps.db, query.last ?? 0));
        const types = query.types === undefined ? undefined : new Set(query.types.split(','));
        return sendEventStream(c, deps.streams, (stream) =>
          followEvents(
            { ...deps, inTurn: deps.streams.inTurn },
            {
              afterSeq,
              filter: { issue: query.issue, types },
              endsWithStored: query.follow === 'false',
              keepAliveMs: deps.streams.keepAliveMs,
            },
            {
              encode: (events) => events.map(frameOf).join(''),
              send: (text) => stream.write(text),
              keepAlive: () => stream.write(': keep-alive\n\n'),
              onAbort: (then) => stream.onEnd(then),
              get aborted() {
                return stream.ended;
              },
            },
          ),
        );
      },
    }),
  ] as const;
}

function frameOf(event: StreamEvent): string {
  return `data: ${JSON.stringify(event)}\nid: ${event.seq}\n\n`;
}
