import { z } from '@hono/zod-openapi';
import { Usage } from '@switchyard/shared/api/work/usage';
import type { Deps } from '../deps.ts';
import { endpoint, json } from '../http/endpoint/endpoint.ts';
import { getUsage } from './get-usage.ts';

const UsageQuery = z.object({
  days: z.coerce.number().int().min(1).max(365).default(30).describe('Days, today among them.'),
});

/** Routes of agents' usage. */
export function usageRoutes(deps: Pick<Deps, 'db' | 'clock' | 'config'>) {
  return [
    endpoint({
      at: 'GET /api/v1/usage',
      summary: 'Tokens, cost and ends of attempts for each day (UTC)',
      query: UsageQuery,
      answer: json(200, 'The days', Usage),
      handler: ({ query }) => getUsage(deps, query.days),
    }),
  ] as const;
}
