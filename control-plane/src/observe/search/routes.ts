import { createRoute, defineOpenAPIRoute, z } from '@hono/zod-openapi';
import { ErrorBody } from '@switchyard/shared/api/error';
import { SearchAnswer } from '@switchyard/shared/api/admin/search';
import type { Deps } from '../../deps.ts';
import { jsonContent } from '../../json-content.ts';
import { searchEverything } from './search-everything.ts';

const QUERY_MAX_CHARS = 200;

const Query = z.object({
  q: z.string().trim().min(1).max(QUERY_MAX_CHARS).describe('Words; all of them have to occur.'),
  limit: z.coerce.number().int().min(1).max(100).default(40).describe('Results to answer.'),
});

/** One search over everything that the service keeps. */
export function searchRoutes(deps: Pick<Deps, 'db' | 'service'>) {
  return [
    defineOpenAPIRoute({
      route: createRoute({
        method: 'get',
        path: '/api/v1/search',
        operationId: 'search',
        summary: 'Words in issues, pull requests, labels, settings, secret names and recent logs',
        request: { query: Query },
        responses: {
          200: jsonContent('What was found, nearest first', SearchAnswer),
          400: jsonContent('Bad query', ErrorBody),
        },
      }),
      handler: async (c) => {
        const { q, limit } = c.req.valid('query');
        return c.json(await searchEverything(deps, { query: q, limit }), 200);
      },
    }),
  ] as const;
}
