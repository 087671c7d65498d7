import type { AutomationRun } from '@switchyard/shared/api/automation';
import type { AutomationRunRow } from '../../db/schema/people/automations.ts';

/** A run as the API shows it. */
export function runRecord(row: AutomationRunRow): AutomationRun {
  return {
    runId: row.run_id,
    automationName: row.automation_name,
    mode: row.mode,
    trigger: row.trigger,
    actor: row.actor,
    status: row.status,
    dueAt: new Date(row.due_at_ms).toISOString(),
    startedAt: new Date(row.started_at_ms).toISOString(),
    endedAt: row.ended_at_ms === null ? null : new Date(row.ended_at_ms).toISOString(),
    identifier: row.identifier,
    message: row.message,
    report: row.report,
  };
}
