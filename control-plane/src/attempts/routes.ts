import { z } from '@hono/zod-openapi';
import { AttemptDetail } from '@switchyard/shared/api/work/attempt';
import type { Deps } from '../deps.ts';
import { AppError } from '../errors.ts';
import { attemptEvents } from '../observe/events/queries.ts';
import { attemptRecord } from './attempt-record.ts';
import { endpoint, json } from '../http/endpoint/endpoint.ts';
import { PageLimit } from '../http/endpoint/page-limit.ts';
import { attemptById } from './queries.ts';

const Query = z.object({
  after: z.coerce.number().int().min(0).default(0).describe('Only events after this seq'),
  limit: PageLimit,
});

/** Attempts by their own id. */
export function attemptRoutes(deps: Deps) {
  return [
    endpoint({
      at: 'GET /api/v1/attempts/{aid}',
      summary: 'One attempt with its event timeline',
      params: z.object({ aid: z.string().max(64) }),
      query: Query,
      answer: json(200, 'The attempt', AttemptDetail),
      handler: async ({ params: { aid }, query: { after, limit } }) => {
        const row = await attemptById(deps.db, aid);
        if (row === null) throw new AppError('not_found', `attempt ${aid} not found`);
        const events = await attemptEvents(deps.db, { attemptId: aid, afterSeq: after, limit });
        return { ...attemptRecord(row, deps.service.publicOrigin), events };
      },
    }),
  ] as const;
}
