import { createRoute, defineOpenAPIRoute, z } from '@hono/zod-openapi';
import { PullRequest } from '@switchyard/shared/api/work/pull-request';
import { IssueIdentifier } from '@switchyard/shared/ids';
import type { Deps } from '../../deps.ts';
import { callerOf } from '../../http/caller/caller.ts';
import { errorResponses } from '../../http/error-responses.ts';
import { jsonContent } from '../../json-content.ts';
import { deliverAgain } from './deliver-again.ts';

/** What a person may do about a delivery. */
export function deliveryRoutes(deps: Deps) {
  return [
    defineOpenAPIRoute({
      route: createRoute({
        method: 'post',
        path: '/api/v1/{id}/deliver',
        summary: 'Repeat only the delivery of work that the code host refused',
        description: 'The kept commit is pushed and its pull request opened; no agent runs.',
        request: { params: z.object({ id: IssueIdentifier }) },
        responses: {
          201: jsonContent('The pull request', PullRequest),
          ...errorResponses(403, 404, 409, 502, 503),
        },
      }),
      handler: async (c) =>
        c.json(
          await deliverAgain(deps, { identifier: c.req.valid('param').id, caller: callerOf(c) }),
          201,
        ),
    }),
  ] as const;
}
