import { endpoint, text } from '../../http/endpoint/endpoint.ts';
import type { Metrics } from '../../ports/ports.ts';

/** Sets gauges from rows right before a scrape. */
export type GaugeSource = () => Promise<void>;

const CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

/** Route that serves the metrics to scrapers. */
export function metricRoutes(metrics: Metrics, gaugeSources: readonly GaugeSource[]) {
  return [
    endpoint({
      at: 'GET /metrics',
      operationId: 'getMetrics',
      summary: 'Metrics in the text exposition format',
      answer: text('The metrics'),
      handler: async ({ c }) => {
        for (const source of gaugeSources) await source();
        return c.text(await metrics.render(), 200, { 'Content-Type': CONTENT_TYPE });
      },
    }),
  ] as const;
}
