import { createRoute, defineOpenAPIRoute, z } from '@hono/zod-openapi';
import { desc, eq, sql } from 'drizzle-orm';
import { AnswerRequest, HumanRequest, RequestList } from '@switchyard/shared/api/work/request';
import { requests } from '../../db/schema/work/requests.ts';
import type { Deps } from '../../deps.ts';
import { callerOf } from '../../http/caller/caller.ts';
import { answerRequest } from './answer-request.ts';
import { requestRecord } from './request-record.ts';

const Query = z.object({
  state: z.enum(['asked', 'answered', 'resumed', 'expired']).optional(),
  limit: z.coerce.number().int().min(1).max(500).default(50),
  offset: z.coerce.number().int().min(0).default(0),
});

/** What agents ask people. */
export function requestRoutes(deps: Deps) {
  return [
    defineOpenAPIRoute({
      route: createRoute({
        method: 'get',
        path: '/api/v1/requests',
        summary: 'Questions of agents, newest first',
        request: { query: Query },
        responses: {
          200: {
            description: 'Requests',
            content: { 'application/json': { schema: RequestList } },
          },
        },
      }),
      handler: async (c) => {
        const { state, limit, offset } = c.req.valid('query');
        const where = state === undefined ? undefined : eq(requests.state, state);
        const [rows, counted] = await deps.db.batch([
          deps.db
            .select()
            .from(requests)
            .where(where)
            .orderBy(desc(requests.asked_at_ms))
            .limit(limit)
            .offset(offset),
          deps.db
            .select({ total: sql<number>`count(*)` })
            .from(requests)
            .where(where),
        ]);
        return c.json({ requests: rows.map(requestRecord), total: counted[0]?.total ?? 0 }, 200);
      },
    }),
    defineOpenAPIRoute({
      route: createRoute({
        method: 'post',
        path: '/api/v1/requests/{requestId}/answer',
        summary: 'Answer an agent; the first answer wins',
        request: {
          params: z.object({ requestId: z.string().max(64) }),
          body: { required: true, content: { 'application/json': { schema: AnswerRequest } } },
        },
        responses: {
          202: {
            description: 'On its way',
            content: { 'application/json': { schema: HumanRequest } },
          },
        },
      }),
      handler: async (c) => {
        const answered = await answerRequest(deps, {
          requestId: c.req.valid('param').requestId,
          answers: c.req.valid('json').answers,
          caller: callerOf(c),
        });
        return c.json(answered, 202);
      },
    }),
  ] as const;
}
