import { createRoute, defineOpenAPIRoute } from '@hono/zod-openapi';
import { Observability } from '@switchyard/shared/api/observability';
import type { Deps } from '../../deps.ts';
import { getObservability } from './get-observability.ts';

/** Health and metrics of the service in one look. */
export function observabilityRoutes(deps: Deps) {
  return [
    defineOpenAPIRoute({
      route: createRoute({
        method: 'get',
        path: '/api/v1/observability',
        summary: 'Health signals and metric summaries',
        responses: {
          200: {
            description: 'How the service fares',
            content: { 'application/json': { schema: Observability } },
          },
        },
      }),
      handler: async (c) => c.json(await getObservability(deps), 200),
    }),
  ] as const;
}
