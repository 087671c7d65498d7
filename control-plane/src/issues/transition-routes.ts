import { createRoute, defineOpenAPIRoute, z } from '@hono/zod-openapi';
import { TransitionList } from '@switchyard/shared/api/work/transition';
import { IssueIdentifier } from '@switchyard/shared/ids';
import type { Deps } from '../deps.ts';
import { errorResponses } from '../http/error-responses.ts';
import { createListTransitions } from './list-transitions.ts';

const Query = z.object({
  issue: IssueIdentifier.optional().describe('Only this issue.'),
  limit: z.coerce.number().int().min(1).max(500).default(50).describe('Entries of the log.'),
  cursor: z.string().min(1).max(64).optional().describe('`nextCursor` of the page before.'),
});

/** Where issues may move; to be registered before the routes of single issues. */
export function transitionRoutes(deps: Pick<Deps, 'db' | 'clock' | 'trackers'>) {
  const listTransitions = createListTransitions(deps);
  return [
    defineOpenAPIRoute({
      route: createRoute({
        method: 'get',
        path: '/api/v1/transitions',
        summary: 'States that issues may move to, and a log of moves',
        description: 'States of the 500 most recently changed issues, or of the one that is named.',
        request: { query: Query },
        responses: {
          200: {
            description: 'States and log',
            content: { 'application/json': { schema: TransitionList } },
          },
          ...errorResponses(400, 404),
        },
      }),
      handler: async (c) => {
        const { issue, limit, cursor } = c.req.valid('query');
        return c.json(await listTransitions({ issue, limit, cursor }), 200);
      },
    }),
  ] as const;
}
