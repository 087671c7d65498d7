import { z } from '@hono/zod-openapi';
import { AnswerRequest, HumanRequest, RequestList } from '@switchyard/shared/api/work/request';
import { type AnswerDeps, answerRequest } from './answer-request.ts';
import { endpoint, json } from '../../http/endpoint/endpoint.ts';
import { OffsetPage } from '../../http/endpoint/page-limit.ts';
import { requestPage } from '../../attempts/requests/queries.ts';
import { requestRecord } from '../../attempts/requests/request-record.ts';

const Query = OffsetPage.extend({
  state: HumanRequest.shape.state.optional(),
});

/** Routes of the questions that agents ask people. */
export function requestRoutes(deps: AnswerDeps) {
  return [
    endpoint({
      at: 'GET /api/v1/requests',
      summary: 'Questions of agents, newest first',
      query: Query,
      answer: json(200, 'Requests', RequestList),
      handler: async ({ query }) => {
        const { rows, total } = await requestPage(deps.db, query);
        return { requests: rows.map(requestRecord), total };
      },
    }),
    endpoint({
      at: 'POST /api/v1/requests/{requestId}/answer',
      summary: 'Answer an agent; the first answer wins',
      description:
        'A plan is decided by the answer to `plan`: `Approve` begins the work, any other text asks for another plan. With the approval the plan may be given as edited, in `edited_plan`.',
      params: z.object({ requestId: z.string().max(64) }),
      body: AnswerRequest,
      answer: json(202, 'On its way', HumanRequest),
      refusals: { 409: 'It was answered or has expired' },
      handler: ({ params: { requestId }, body: { answers }, caller }) =>
        answerRequest(deps, { requestId, answers, caller }),
    }),
  ] as const;
}
