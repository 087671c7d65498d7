import { cutText } from '@switchyard/shared/text/cut-text';
import { and, eq } from 'drizzle-orm';
import { commitChange } from '../../observe/events/commit-change.ts';
import type { Statement } from '../../db/database.ts';
import { type AutomationRunRow, automationRuns } from '../../db/schema/people/automations.ts';
import type { Deps } from '../../deps.ts';
import { notify } from '../../notifications/notify.ts';
import { runEvent } from './start-run.ts';

/** Ends a run with its event and, after a failure, a notification. */
export async function endRun(
  deps: Pick<Deps, 'db' | 'clock'>,
  run: AutomationRunRow,
  end: {
    status: 'completed' | 'failed';
    message: string;
    report?: string | null;
    /** The issue is recorded, so that the notification can show it. */
    issueKnown?: boolean;
    extra?: Statement[];
  },
): Promise<void> {
  const { db } = deps;
  const nowMs = deps.clock.nowMs();
  const ended = {
    ...run,
    status: end.status,
    message: cutText(end.message, 2_000),
    report: end.report ?? null,
    ended_at_ms: nowMs,
  };
  await commitChange(deps, {
    swap: db
      .update(automationRuns)
      .set({
        status: ended.status,
        message: ended.message,
        report: ended.report,
        ended_at_ms: nowMs,
      })
      .where(and(eq(automationRuns.run_id, run.run_id), eq(automationRuns.status, 'running'))),
    also: [
      ...(end.extra ?? []),
      ...(end.status === 'failed'
        ? tell(deps, ended, { nowMs, issueKnown: end.issueKnown === true })
        : []),
    ],
    events: [runEvent('automation.ended', ended, nowMs)],
    nowMs,
  });
}

function tell(
  { db }: Pick<Deps, 'db'>,
  run: AutomationRunRow,
  { nowMs, issueKnown }: { nowMs: number; issueKnown: boolean },
): Statement[] {
  const { tracker, issue_id: id, identifier } = run;
  return notify(db, nowMs, {
    id: `ntf_${run.run_id.replace(/^arun_/, '')}`,
    type: 'automation_failed',
    message: `Automation ${run.automation_name} failed: ${run.message ?? 'no reason given'}`,
    issue:
      issueKnown && tracker !== null && id !== null && identifier !== null
        ? { tracker, id, identifier }
        : null,
    attempt: null,
    metadata: {
      automationName: run.automation_name,
      runId: run.run_id,
    },
  });
}
