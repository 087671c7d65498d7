import type { HealthSignal, Observability } from '@switchyard/shared/api/observability';
import { messageOf } from '@switchyard/shared/message-of';
import type { Bound, Deps } from '../../deps.ts';
import type { readHealthFacts } from './read-health-facts.ts';
import { judgeHealth, signal, worstOf } from './decide.ts';
import { summariseMetrics } from './summarise-metrics.ts';

export type ObservabilityDeps = Pick<Deps, 'clock' | 'errors' | 'logger' | 'metrics'> & {
  readHealthFacts: Bound<typeof readHealthFacts>;
};

/**
 * The health of the service and its dependencies. Answers also while the database is unreachable.
 */
export async function getObservability(deps: ObservabilityDeps): Promise<Observability> {
  let signals: HealthSignal[];
  try {
    signals = judgeHealth(await deps.readHealthFacts());
  } catch (error) {
    deps.errors.capture(error, { operation: 'observability' });
    signals = [signal('database', 'down', 'the database does not answer')];
  }
  return {
    generated_at: new Date(deps.clock.nowMs()).toISOString(),
    status: worstOf(signals),
    signals,
    metrics: await metricSummaries(deps),
  };
}

async function metricSummaries(deps: Pick<Deps, 'logger' | 'metrics'>) {
  try {
    return summariseMetrics(await deps.metrics.render());
  } catch (error) {
    deps.logger.warn('metrics could not be read', {
      error: messageOf(error),
    });
    return [];
  }
}
