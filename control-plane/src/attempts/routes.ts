import { z } from '@hono/zod-openapi';
import { AttemptDetail } from '@switchyard/shared/api/work/attempt';
import { AttemptCheckList } from '@switchyard/shared/checks/attempt-check';
import { type Checkpoint, CheckpointList } from '@switchyard/shared/api/work/checkpoint';
import type { CheckpointRow } from '../db/schema/work/checkpoints.ts';
import type { Deps } from '../deps.ts';
import { attemptEvents } from '../observe/events/queries.ts';
import { attemptRecord } from './attempt-record.ts';
import { endpoint, json } from '../http/endpoint/endpoint.ts';
import { PageLimit } from '../http/endpoint/page-limit.ts';
import { declaredChecks } from './checks/declared-checks.ts';
import { evidenceRoutes } from './evidence/routes.ts';
import { checkpointsOfAttempt } from './checkpoints/queries.ts';
import { requireAttempt } from './queries.ts';

const Query = z.object({
  after: z.coerce.number().int().min(0).default(0).describe('Only events after this seq'),
  limit: PageLimit,
});

const byAttempt = z.object({ aid: z.string().max(64) });

/** Routes of single attempts, by attempt id. */
export function attemptRoutes(deps: Pick<Deps, 'db' | 'blobs' | 'service'>) {
  return [
    endpoint({
      at: 'GET /api/v1/attempts/{aid}',
      summary: 'One attempt with its event timeline',
      params: byAttempt,
      query: Query,
      answer: json(200, 'The attempt', AttemptDetail),
      handler: async ({ params: { aid }, query: { after, limit } }) => {
        const row = await requireAttempt(deps.db, aid);
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
        await requireAttempt(deps.db, aid);
        return { checkpoints: (await checkpointsOfAttempt(deps.db, aid)).map(checkpointRecord) };
      },
    }),
    endpoint({
      at: 'GET /api/v1/attempts/{aid}/checks',
      summary: 'Declared checks of an attempt, in the order in which they run',
      params: byAttempt,
      answer: json(200, 'Checks', AttemptCheckList),
      handler: async ({ params: { aid } }) => ({
        checks: await declaredChecks(deps.db, await requireAttempt(deps.db, aid)),
      }),
    }),
    ...evidenceRoutes(deps),
  ] as const;
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
