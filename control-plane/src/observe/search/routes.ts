import { z } from '@hono/zod-openapi';
import { SearchAnswer } from '@switchyard/shared/api/admin/search';
import type { Deps } from '../../deps.ts';
import { endpoint, json } from '../../http/endpoint/endpoint.ts';
import { searchEverything } from './search-everything.ts';

const QUERY_MAX_CHARS = 200;

const Query = z.object({
  q: z.string().trim().min(1).max(QUERY_MAX_CHARS).describe('Words; all of them have to occur.'),
  limit: z.coerce.number().int().min(1).max(100).default(40).describe('Results to answer.'),
});

/** One search over everything that the service keeps. */
export function searchRoutes(deps: Pick<Deps, 'db' | 'service'>) {
  return [
    endpoint({
      at: 'GET /api/v1/search',
      operationId: 'search',
      summary: 'Words in issues, pull requests, labels, settings, secret names and recent logs',
      query: Query,
      answer: json(200, 'What was found, nearest first', SearchAnswer),
      handler: ({ query: { q: query, limit } }) => searchEverything(deps, { query, limit }),
    }),
  ] as const;
}
