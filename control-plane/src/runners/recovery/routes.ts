import { RecoveryReport } from '@switchyard/shared/api/recovery';
import type { Deps } from '../../deps.ts';
import { endpoint, json } from '../../http/endpoint/endpoint.ts';
import { getRecovery } from './get-recovery.ts';

/** What the last start found and what became of it. */
export function recoveryRoutes(deps: Deps) {
  return [
    endpoint({
      at: 'GET /api/v1/recovery',
      summary: 'Report of the last start, attempt by attempt',
      answer: json(200, 'The report', RecoveryReport),
      handler: () => getRecovery(deps),
    }),
  ] as const;
}
