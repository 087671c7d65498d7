import type { AutomationState } from '@switchyard/shared/api/automation';
import type { Deps } from '../../deps.ts';
import { schedulerState } from './queries.ts';
import { runRecord } from './run-record.ts';

/** The configured automations, and where their schedules stand. */
export async function listAutomations(
  deps: Pick<Deps, 'db' | 'config'>,
): Promise<AutomationState[]> {
  const { automations } = await deps.config.load();
  const { nextRunAtMs, lastRuns } = await schedulerState(deps.db);
  return automations.map((automation) => {
    const next = nextRunAtMs.get(automation.name) ?? null;
    const last = lastRuns.get(automation.name);
    return {
      name: automation.name,
      schedule: automation.schedule,
      timeZone: automation.timeZone,
      mode: automation.mode,
      enabled: automation.enabled,
      missedRunPolicy: automation.missedRunPolicy,
      nextRunAt: next === null ? null : new Date(next).toISOString(),
      running: last?.status === 'running',
      lastRun: last === undefined ? null : runRecord(last),
    };
  });
}
