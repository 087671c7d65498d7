import type { AutomationState } from '@switchyard/shared/api/automation';
import type { Deps } from '../../deps.ts';
import type { Automation } from '../../config/sections/automations.ts';
import { nextRunAtMs } from './next-run-at-ms.ts';
import { scheduleKey, schedulerState } from './queries.ts';
import { runRecord } from './run-record.ts';

/** The configured automations with their next run and last run. */
export async function listAutomations(
  deps: Pick<Deps, 'db' | 'config' | 'clock'>,
): Promise<AutomationState[]> {
  const { automations } = await deps.config.load();
  const { timers, lastRuns } = await schedulerState(deps.db);
  const nowMs = deps.clock.nowMs();
  return automations.map((automation) => {
    const next = nextOf(automation, timers.get(automation.name), nowMs);
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

/**
 * Time of the next run, epoch milliseconds; null if the automation is disabled. It is computed here
 * while the scheduler has no timer yet for a new or changed schedule.
 */
function nextOf(
  automation: Automation,
  timer: { schedule: string; next_run_at_ms: number | null } | undefined,
  nowMs: number,
): number | null {
  if (!automation.enabled) return null;
  return timer?.schedule === scheduleKey(automation)
    ? timer.next_run_at_ms
    : nextRunAtMs(automation, nowMs);
}
