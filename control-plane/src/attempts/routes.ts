import { createRoute, defineOpenAPIRoute, z } from '@hono/zod-openapi';
import { AttemptDetail } from '@switchyard/shared/api/work/attempt';
import type { Deps } from '../deps.ts';
import { AppError } from '../errors.ts';
import { attemptEvents } from '../observe/events/queries.ts';
import { attemptRecord } from './attempt-record.ts';
import { attemptById } from './queries.ts';

const Query = z.object({
  after: z.coerce.number().int().min(0).default(0).describe('Only events after this seq'),
  limit: z.coerce.number().int().min(1).max(500).default(50),
});

/** Attempts by their own id. */
export function attemptRoutes(deps: Deps) {
  return [
    defineOpenAPIRoute({
      route: createRoute({
        method: 'get',
        path: '/api/v1/attempts/{aid}',
        summary: 'One attempt with its event timeline',
        request: { params: z.object({ aid: z.string().max(64) }), query: Query },
        responses: {
          200: {
            description: 'The attempt',
            content: { 'application/json': { schema: AttemptDetail } },
          },
        },
      }),
      handler: async (c) => {
        const { aid } = c.req.valid('param');
        const { after, limit } = c.req.valid('query');
        const row = await attemptById(deps.db, aid);
        if (row === null) throw new AppError('not_found', `attempt ${aid} not found`);
        const events = await attemptEvents(deps.db, { attemptId: aid, afterSeq: after, limit });
        return c.json({ ...attemptRecord(row, deps.service.publicOrigin), events }, 200);
      },
    }),
  ] as const;
}
