import { z } from '@hono/zod-openapi';
import { desc, eq, sql } from 'drizzle-orm';
import { AnswerRequest, HumanRequest, RequestList } from '@switchyard/shared/api/work/request';
import { requests } from '../../db/schema/work/requests.ts';
import type { Deps } from '../../deps.ts';
import { answerRequest } from './answer-request.ts';
import { endpoint, json } from '../../http/endpoint/endpoint.ts';
import { OffsetPage } from '../../http/endpoint/page-limit.ts';
import { requestRecord } from './request-record.ts';

const Query = OffsetPage.extend({
  state: z.enum(['asked', 'answered', 'resumed', 'expired']).optional(),
});

/** What agents ask people. */
export function requestRoutes(deps: Deps) {
  return [
    endpoint({
      at: 'GET /api/v1/requests',
      summary: 'Questions of agents, newest first',
      query: Query,
      answer: json(200, 'Requests', RequestList),
      handler: async ({ query: { state, limit, offset } }) => {
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
        return { requests: rows.map(requestRecord), total: counted[0]?.total ?? 0 };
      },
    }),
    endpoint({
      at: 'POST /api/v1/requests/{requestId}/answer',
      summary: 'Answer an agent; the first answer wins',
      params: z.object({ requestId: z.string().max(64) }),
      body: AnswerRequest,
      answer: json(202, 'On its way', HumanRequest),
      refusals: { 409: 'It was answered or has expired' },
      handler: ({ params: { requestId }, body: { answers }, caller }) =>
        answerRequest(deps, { requestId, answers, caller }),
    }),
  ] as const;
}
