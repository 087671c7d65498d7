import { createRoute, defineOpenAPIRoute } from '@hono/zod-openapi';
import { RecoveryReport } from '@switchyard/shared/api/recovery';
import type { Deps } from '../../deps.ts';
import { errorResponses } from '../../http/error-responses.ts';
import { getRecovery } from './get-recovery.ts';

/** What the last start found and what became of it. */
export function recoveryRoutes(deps: Deps) {
  return [
    defineOpenAPIRoute({
      route: createRoute({
        method: 'get',
        path: '/api/v1/recovery',
        summary: 'Report of the last start, attempt by attempt',
        responses: {
          200: {
            description: 'The report',
            content: { 'application/json': { schema: RecoveryReport } },
          },
          ...errorResponses(),
        },
      }),
      handler: async (c) => c.json(await getRecovery(deps), 200),
    }),
  ] as const;
}
