import { z } from '@hono/zod-openapi';
import { SearchAnswer } from '@switchyard/shared/api/admin/search';
import { Observability } from '@switchyard/shared/api/observability';
import { Usage } from '@switchyard/shared/api/work/usage';
import type { Deps } from '../deps.ts';
import { endpoint, json } from '../http/endpoint/endpoint.ts';
import { getObservability } from './observability/get-observability.ts';
import { searchEverything } from './search/search-everything.ts';
import { getUsage } from './usage/get-usage.ts';

const QUERY_MAX_CHARS = 200;

const SearchQuery = z.object({
  q: z.string().trim().min(1).max(QUERY_MAX_CHARS).describe('Words; all of them have to occur.'),
  limit: z.coerce.number().int().min(1).max(100).default(40).describe('Results to answer.'),
});
const UsageQuery = z.object({
  days: z.coerce.number().int().min(1).max(365).default(30).describe('Days, today among them.'),
});

/** How the service fares, what agents used, and a search over everything that is kept. */
export function observeRoutes(deps: Deps) {
  return [
    endpoint({
      at: 'GET /api/v1/observability',
      summary: 'Health signals and metric summaries',
      answer: json(200, 'How the service fares', Observability),
      handler: () => getObservability(deps),
    }),
    endpoint({
      at: 'GET /api/v1/usage',
      summary: 'Tokens, cost and ends of attempts for each day (UTC)',
      query: UsageQuery,
      answer: json(200, 'The days', Usage),
      handler: ({ query }) => getUsage(deps, query.days),
    }),
    endpoint({
      at: 'GET /api/v1/search',
      operationId: 'search',
      summary: 'Words in issues, pull requests, labels, settings, secret names and recent logs',
      query: SearchQuery,
      answer: json(200, 'What was found, nearest first', SearchAnswer),
      handler: ({ query: { q: query, limit } }) => searchEverything(deps, { query, limit }),
    }),
  ] as const;
}
