import { createRoute, defineOpenAPIRoute, z } from '@hono/zod-openapi';
import type { Deps } from '../../deps.ts';
import { errorResponses } from '../../http/error-responses.ts';

/** Sets gauges from rows right before a scrape. */
export type GaugeSource = (deps: Deps) => Promise<void>;

const CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

/** The metrics for scrapers. */
export function metricRoutes(deps: Deps, gaugeSources: readonly GaugeSource[]) {
  return [
    defineOpenAPIRoute({
      route: createRoute({
        method: 'get',
        path: '/metrics',
        operationId: 'getMetrics',
        tags: ['State and metrics'],
        summary: 'Metrics in the text exposition format',
        responses: {
          200: {
            description: 'The metrics',
            content: { 'text/plain': { schema: z.string() } },
          },
          ...errorResponses(),
        },
      }),
      handler: async (c) => {
        for (const source of gaugeSources) await source(deps);
        return c.text(await deps.metrics.render(), 200, { 'Content-Type': CONTENT_TYPE });
      },
    }),
  ] as const;
}
