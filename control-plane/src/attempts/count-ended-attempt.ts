import { KIND_RULES } from '@switchyard/shared/attempts/kind-rules';
import type { AttemptOutcome } from '@switchyard/shared/api/work/attempt';
import { isScriptedModel } from '@switchyard/shared/model-providers/scripted-model';
import type { AttemptRow } from '../db/schema/work/attempts.ts';
import type { Metrics } from '../ports/ports.ts';

/**
 * Counts an attempt in the metrics once its end is stored. Cancelled and trial attempts and
 * tests of merges are left out: they say nothing about the success of agents.
 */
export function countEndedAttempt(
  metrics: Metrics,
  { model, kind }: Pick<AttemptRow, 'model' | 'kind'>,
  outcome: AttemptOutcome,
): void {
  if (KIND_RULES[kind].hasAgent && outcome !== 'cancelled' && !isScriptedModel(model))
    metrics.inc('service_agent_runs_total', { outcome });
}
