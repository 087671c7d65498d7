import { Observability } from '@switchyard/shared/api/observability';
import { endpoint, json } from '../../http/endpoint/endpoint.ts';
import { getObservability, type ObservabilityDeps } from './get-observability.ts';

/** Routes of the service's health. */
export function observabilityRoutes(deps: ObservabilityDeps) {
  return [
    endpoint({
      at: 'GET /api/v1/observability',
      summary: 'Health signals and metric summaries',
      answer: json(200, 'How the service fares', Observability),
      handler: () => getObservability(deps),
    }),
  ] as const;
}
