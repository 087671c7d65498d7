import { createRoute, defineOpenAPIRoute, z } from '@hono/zod-openapi';
import { ErrorBody } from '@switchyard/shared/api/error';
import { Usage } from '@switchyard/shared/api/work/usage';
import type { Deps } from '../../deps.ts';
import { jsonContent } from '../../json-content.ts';
import { getUsage } from './get-usage.ts';

const Query = z.object({
  days: z.coerce.number().int().min(1).max(365).default(30).describe('Days, today among them.'),
});

/** What agents used. */
export function usageRoutes(deps: Pick<Deps, 'db' | 'clock' | 'config'>) {
  return [
    defineOpenAPIRoute({
      route: createRoute({
        method: 'get',
        path: '/api/v1/usage',
        summary: 'Tokens, cost and ends of attempts for each day (UTC)',
        request: { query: Query },
        responses: {
          200: jsonContent('The days', Usage),
          400: jsonContent('Bad query', ErrorBody),
        },
      }),
      handler: async (c) => c.json(await getUsage(deps, c.req.valid('query').days), 200),
    }),
  ] as const;
}
