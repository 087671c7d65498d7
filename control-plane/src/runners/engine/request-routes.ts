import { createRoute, defineOpenAPIRoute, z } from '@hono/zod-openapi';
import { RespondUserInput } from '@switchyard/shared/api/engine';
import { HumanRequest, RequestList } from '@switchyard/shared/api/work/request';
import type { Deps } from '../../deps.ts';
import { callerOf } from '../../http/caller/caller.ts';
import { errorResponses } from '../../http/error-responses.ts';
import { answerRequest } from '../../attempts/requests/answer-request.ts';
import { requestRecord } from '../../attempts/requests/request-record.ts';
import { jsonContent } from '../../json-content.ts';
import { pendingRequests } from './queries.ts';
import { RunnerQuery } from './route-parts.ts';
import { selectRunner } from './select-runner.ts';

const Query = RunnerQuery.extend({
  limit: z.coerce.number().int().min(1).max(500).default(50).describe('Requests to answer.'),
  offset: z.coerce.number().int().min(0).default(0).describe('Requests to leave out first.'),
});

type RequestDeps = Pick<Deps, 'db' | 'clock' | 'sockets' | 'events'>;

/** Questions of engines that wait for a person; the same rows as `/api/v1/requests`. */
export function engineRequestRoutes(deps: RequestDeps) {
  return [
    defineOpenAPIRoute({
      route: createRoute({
        method: 'get',
        path: '/api/v1/engine/requests/user-input',
        summary: 'Questions that wait for a person, newest first',
        request: { query: Query },
        responses: { 200: jsonContent('Questions', RequestList), ...errorResponses(400, 404, 503) },
      }),
      handler: async (c) => {
        const { runner, ...page } = c.req.valid('query');
        await selectRunner(deps, { wanted: runner });
        const { rows, total } = await pendingRequests(deps.db, page);
        return c.json({ requests: rows.map(requestRecord), total }, 200);
      },
    }),
    defineOpenAPIRoute({
      route: createRoute({
        method: 'post',
        path: '/api/v1/engine/requests/user-input/{requestId}/respond',
        summary: 'Answer an agent; the first answer wins',
        request: {
          params: z.object({ requestId: z.string().max(64) }),
          query: RunnerQuery,
          body: { required: true, ...jsonContent('The answers', RespondUserInput) },
        },
        responses: {
          202: jsonContent('On its way', HumanRequest),
          ...errorResponses(400, 403, 404, 409, 413, 415, 503),
        },
      }),
      handler: async (c) => {
        await selectRunner(deps, { wanted: c.req.valid('query').runner });
        const answered = await answerRequest(deps, {
          requestId: c.req.valid('param').requestId,
          answers: answersOf(c.req.valid('json')),
          caller: callerOf(c),
        });
        return c.json(answered, 202);
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
