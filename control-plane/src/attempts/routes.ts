import { z } from '@hono/zod-openapi';
import { AttemptDetail } from '@switchyard/shared/api/work/attempt';
import { type Checkpoint, CheckpointList } from '@switchyard/shared/api/work/checkpoint';
import { LiveTextItem } from '@switchyard/shared/protocol/messages';
import type { AttemptRow } from '../db/schema/work/attempts.ts';
import type { CheckpointRow } from '../db/schema/work/checkpoints.ts';
import type { Deps } from '../deps.ts';
import { AppError } from '../errors.ts';
import { attemptEvents } from '../observe/events/queries.ts';
import { attemptRecord } from './attempt-record.ts';
import { endpoint, json, raw } from '../http/endpoint/endpoint.ts';
import { PageLimit } from '../http/endpoint/page-limit.ts';
import type { OpenStreams } from '../http/limits/open-streams.ts';
import { sendEventStream } from '../http/send-event-stream.ts';
import { checkpointsOfAttempt } from './checkpoints/queries.ts';
import { followLiveText } from './follow-live-text.ts';
import { attemptById } from './queries.ts';

const Query = z.object({
  after: z.coerce.number().int().min(0).default(0).describe('Only events after this seq'),
  limit: PageLimit,
});

const byAttempt = z.object({ aid: z.string().max(64) });

/** Attempts by their own id. */
export function attemptRoutes(deps: Deps & { streams: OpenStreams }) {
  return [
    endpoint({
      at: 'GET /api/v1/attempts/{aid}',
      summary: 'One attempt with its event timeline',
      params: byAttempt,
      query: Query,
      answer: json(200, 'The attempt', AttemptDetail),
      handler: async ({ params: { aid }, query: { after, limit } }) => {
        const row = await requireAttempt(deps, aid);
        const events = await attemptEvents(deps.db, { attemptId: aid, afterSeq: after, limit });
        return { ...attemptRecord(row, deps.service.publicOrigin), events };
      },
    }),
    endpoint({
      at: 'GET /api/v1/attempts/{aid}/checkpoints',
      summary: 'Checkpoints of an attempt, oldest first',
      params: byAttempt,
      answer: json(200, 'Checkpoints', CheckpointList),
      handler: async ({ params: { aid } }) => {
        await requireAttempt(deps, aid);
        return { checkpoints: (await checkpointsOfAttempt(deps.db, aid)).map(checkpointRecord) };
      },
    }),
    // What an agent is writing just now. The stored events have all of it once it is written.
    endpoint({
      at: 'GET /api/v1/attempts/{aid}/live',
      summary: 'Follow what a running attempt is writing, as Server-Sent Events',
      params: byAttempt,
      answer: raw(
        'text/event-stream',
        'Frames of `data: {itemId, stream, text}`: a piece of an item that has not ended. ' +
          'Without ids and kept nowhere; ends with the attempt; a comment every 15 s',
        LiveTextItem.meta({ id: 'LiveText' }),
      ),
      refusals: { 503: 'Live text is not shown here; `/api/v1/events` has it once it is written' },
      handler: async ({ c, params: { aid } }) => {
        const { liveText } = deps;
        const row = await requireAttempt(deps, aid);
        if (liveText === undefined)
          throw new AppError('unavailable', 'live text is not shown here; follow /api/v1/events');
        return sendEventStream(c, deps.streams, async (stream) => {
          if (row.status !== 'running') return;
          const heard = await followLiveText(
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
          if (!heard) await stream.write(': too many listen already\n\n');
        });
      },
    }),
  ] as const;
}

async function requireAttempt({ db }: Pick<Deps, 'db'>, attemptId: string): Promise<AttemptRow> {
  const row = await attemptById(db, attemptId);
  if (row === null) throw new AppError('not_found', `attempt ${attemptId} not found`);
  return row;
}

function checkpointRecord(row: CheckpointRow): Checkpoint {
  return {
    checkpointId: row.checkpoint_id,
    attemptId: row.attempt_id,
    ordinal: row.ordinal,
    trigger: row.trigger,
    eventSeq: row.event_seq,
    threadId: row.thread_id,
    turnId: row.turn_id,
    commitSha: row.commit_sha,
    tokens: row.tokens,
    createdAt: new Date(row.created_at_ms).toISOString(),
  };
}
