import type { EventType } from '@switchyard/shared/api/event-type';
import { someCauseSays } from '@switchyard/shared/causes-of';
import type { Automation } from '../../config/sections/automations.ts';
import type { Database, Statement } from '../../db/database.ts';
import { type AutomationRunRow, automationRuns } from '../../db/schema/people/automations.ts';
import type { StoredEvent } from '../../db/schema/operation/events.ts';
import { setTimer } from '../../jobs/queue/set-timer.ts';
import { appendEvents } from '../../observe/events/append-events.ts';

export type NewRun = {
  runId: string;
  automation: Automation;
  trigger: AutomationRunRow['trigger'];
  actor: string;
  dueAtMs: number;
  nowMs: number;
};

/** The row of a new run; a refresh is complete once it is requested. */
export function newRun(input: NewRun): AutomationRunRow {
  const { automation, nowMs } = input;
  const asked = automation.mode === 'refresh';
  return {
    run_id: input.runId,
    automation_name: automation.name,
    mode: automation.mode,
    trigger: input.trigger,
    actor: input.actor,
    status: asked ? 'completed' : 'running',
    step: 'queued',
    work: {
      title: automation.title ?? automation.name,
      prompt: automation.prompt ?? '',
      labels: automation.labels,
      priority: automation.priority ?? null,
      repo: automation.repo ?? null,
    },
    due_at_ms: input.dueAtMs,
    started_at_ms: nowMs,
    ended_at_ms: asked ? nowMs : null,
    tracker: null,
    issue_id: null,
    identifier: null,
    message: asked ? 'asked for a look at the tracker' : null,
    report: null,
  };
}

/**
 * Statements that start a run. A unique index aborts the batch while another run of the same
 * automation is in progress: see `isOverlap`.
 */
export function startRun(db: Database, run: AutomationRunRow): Statement[] {
  const events = [runEvent('automation.started', run, run.started_at_ms)];
  if (run.status === 'completed') events.push(runEvent('automation.ended', run, run.started_at_ms));
  return [
    db.insert(automationRuns).values(run),
    ...appendEvents(db, run.started_at_ms, events),
    ...(run.mode === 'refresh' ? [setTimer(db, 'poll', run.started_at_ms)] : []),
  ];
}

/** Statements that record why a due run was not started. */
export function skipRun(db: Database, run: AutomationRunRow, reason: string): Statement[] {
  const skipped: AutomationRunRow = {
    ...run,
    status: 'skipped',
    ended_at_ms: run.started_at_ms,
    message: reason,
  };
  return [
    db.insert(automationRuns).values(skipped),
    ...appendEvents(db, run.started_at_ms, [
      runEvent('automation.ended', skipped, run.started_at_ms),
    ]),
  ];
}

/** Whether a batch failed because a run of this automation is in progress. */
export function isOverlap(error: unknown): boolean {
  return someCauseSays(error, /UNIQUE constraint failed: automation_runs\.automation_name/);
}

/** The event that reports a run to subscribers. */
export function runEvent(type: EventType, run: AutomationRunRow, atMs: number): StoredEvent {
  return {
    type,
    atMs,
    data: {
      runId: run.run_id,
      name: run.automation_name,
      mode: run.mode,
      trigger: run.trigger,
      actor: run.actor,
      status: run.status,
      identifier: run.identifier,
      message: run.message,
    },
  };
}
