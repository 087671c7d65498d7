import { endpoint, text } from '../../http/endpoint/endpoint.ts';
import type { Deps } from '../../deps.ts';

/** Sets gauges from rows right before a scrape. */
export type GaugeSource = (deps: Deps) => Promise<void>;

const CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

/** The metrics for scrapers. */
export function metricRoutes(deps: Deps, gaugeSources: readonly GaugeSource[]) {
  return [
    endpoint({
      at: 'GET /metrics',
      operationId: 'getMetrics',
      summary: 'Metrics in the text exposition format',
      answer: text('The metrics'),
      handler: async ({ c }) => {
        for (const source of gaugeSources) await source(deps);
        return c.text(await deps.metrics.render(), 200, { 'Content-Type': CONTENT_TYPE });
      },
    }),
  ] as const;
}
