import { z } from '@hono/zod-openapi';
import { RespondUserInput } from '@switchyard/shared/api/engine';
import { HumanRequest, RequestList } from '@switchyard/shared/api/work/request';
import { type AnswerDeps, answerRequest } from '../../issues/requests/answer-request.ts';
import { requestPage } from '../../attempts/requests/queries.ts';
import { requestRecord } from '../../attempts/requests/request-record.ts';
import { RunnerQuery } from './runner-query.ts';
import { endpoint, json } from '../../http/endpoint/endpoint.ts';
import { OffsetPage } from '../../http/endpoint/page-limit.ts';
import { selectRunner } from './select-runner.ts';

const NO_RUNNER = { 404: 'No such runner', 503: 'No runner is connected' };

/** Routes of questions that engines ask people: the rows of `/api/v1/requests`. */
export function engineRequestRoutes(deps: AnswerDeps) {
  return [
    endpoint({
      at: 'GET /api/v1/engine/requests/user-input',
      summary: 'Questions that wait for a person, newest first',
      query: OffsetPage.extend(RunnerQuery.shape),
      answer: json(200, 'Questions', RequestList),
      refusals: NO_RUNNER,
      handler: async ({ query: { runner, ...page } }) => {
        await selectRunner(deps, { wanted: runner });
        const { rows, total } = await requestPage(deps.db, { state: 'asked', ...page });
        return { requests: rows.map(requestRecord), total };
      },
    }),
    endpoint({
      at: 'POST /api/v1/engine/requests/user-input/{requestId}/respond',
      summary: 'Answer an agent; the first answer wins',
      params: z.object({ requestId: z.string().max(64) }),
      query: RunnerQuery,
      body: RespondUserInput,
      answer: json(202, 'On its way', HumanRequest),
      refusals: {
        404: 'No such runner or question',
        409: 'It was answered or has expired',
        503: 'No runner is connected',
      },
      handler: async ({ params: { requestId }, query: { runner }, body, caller }) => {
        await selectRunner(deps, { wanted: runner });
        return answerRequest(deps, { requestId, answers: answersOf(body), caller });
      },
    }),
  ] as const;
}

function answersOf({ result }: RespondUserInput): Record<string, string[]> {
  const entries = Object.entries(result.answers).map(([id, given]) => {
    const texts = typeof given === 'object' && 'answers' in given ? given.answers : [given].flat();
    return [id, texts] as const;
  });
  return Object.fromEntries(entries);
}
