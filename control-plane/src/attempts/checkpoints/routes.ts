import { z } from '@hono/zod-openapi';
import { type Checkpoint, CheckpointList } from '@switchyard/shared/api/work/checkpoint';
import { attemptById } from '../queries.ts';
import type { CheckpointRow } from '../../db/schema/work/checkpoints.ts';
import type { Deps } from '../../deps.ts';
import { AppError } from '../../errors.ts';
import { endpoint, json } from '../../http/endpoint/endpoint.ts';
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
    endpoint({
      at: 'GET /api/v1/attempts/{aid}/checkpoints',
      summary: 'Checkpoints of an attempt, oldest first',
      params: z.object({ aid: z.string().max(64) }),
      answer: json(200, 'Checkpoints', CheckpointList),
      handler: async ({ params: { aid } }) => {
        if ((await attemptById(deps.db, aid)) === null)
          throw new AppError('not_found', `attempt ${aid} not found`);
        const rows = await checkpointsOfAttempt(deps.db, aid);
        return { checkpoints: rows.map(checkpointRecord) };
      },
    }),
  ] as const;
}
