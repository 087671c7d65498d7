import { createRoute, defineOpenAPIRoute, z } from '@hono/zod-openapi';
import { type Checkpoint, CheckpointList } from '@switchyard/shared/api/work/checkpoint';
import { attemptById } from '../queries.ts';
import type { CheckpointRow } from '../../db/schema/work/checkpoints.ts';
import type { Deps } from '../../deps.ts';
import { AppError } from '../../errors.ts';
import { errorResponses } from '../../http/error-responses.ts';
import { checkpointsOfAttempt } from './queries.ts';

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

/** Where an attempt's work can be taken up again. */
export function checkpointRoutes(deps: Deps) {
  return [
    defineOpenAPIRoute({
      route: createRoute({
        method: 'get',
        path: '/api/v1/attempts/{aid}/checkpoints',
        summary: 'Checkpoints of an attempt, oldest first',
        request: { params: z.object({ aid: z.string().max(64) }) },
        responses: {
          200: {
            description: 'Checkpoints',
            content: { 'application/json': { schema: CheckpointList } },
          },
          ...errorResponses(404),
        },
      }),
      handler: async (c) => {
        const { aid } = c.req.valid('param');
        if ((await attemptById(deps.db, aid)) === null)
          throw new AppError('not_found', `attempt ${aid} not found`);
        const rows = await checkpointsOfAttempt(deps.db, aid);
        return c.json({ checkpoints: rows.map(checkpointRecord) }, 200);
      },
    }),
  ] as const;
}
