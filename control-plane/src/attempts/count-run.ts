import type { AttemptOutcome } from '@switchyard/shared/api/work/attempt';
import type { Metrics } from '../ports.ts';

/** Counts an attempt that has ended, once its end is stored. Cancelled ones are not counted. */
export function countRun(metrics: Metrics, outcome: AttemptOutcome): void {
  if (outcome !== 'cancelled') metrics.inc('service_agent_runs_total', { outcome });
}
