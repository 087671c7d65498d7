import { Observability } from '@switchyard/shared/api/observability';
import type { Deps } from '../../deps.ts';
import { endpoint, json } from '../../http/endpoint/endpoint.ts';
import { getObservability } from './get-observability.ts';

/** Routes of the service's health. */
export function observabilityRoutes(deps: Deps) {
  return [
    endpoint({
      at: 'GET /api/v1/observability',
      summary: 'Health signals and metric summaries',
      answer: json(200, 'How the service fares', Observability),
      handler: () => getObservability(deps),
    }),
  ] as const;
}
