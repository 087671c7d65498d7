import type { AttemptOutcome } from '@switchyard/shared/api/work/attempt';
import { isScriptedModel } from '@switchyard/shared/model-providers/scripted-model';
import type { AttemptRow } from '../db/schema/work/attempts.ts';
import type { Metrics } from '../ports/ports.ts';

/**
 * Counts an attempt that has ended, once its end is stored. Cancelled ones are not counted, and those
 * on trial say nothing of how agents fare.
 */
export function countEndedAttempt(
  metrics: Metrics,
  { model }: Pick<AttemptRow, 'model'>,
  outcome: AttemptOutcome,
): void {
  if (outcome !== 'cancelled' && !isScriptedModel(model))
    metrics.inc('service_agent_runs_total', { outcome });
}
