import { and, eq } from 'drizzle-orm';
import { updateIssue } from '../../db/rows/update-issue.ts';
import { attempts } from '../../db/schema/work/attempts.ts';
import { type AutomationRunRow, automationRuns } from '../../db/schema/people/automations.ts';
import { type IssueRow, issues } from '../../db/schema/work/issues.ts';
import type { Deps } from '../../deps.ts';
import { isOneOf } from '../../ports/tracker/find-state.ts';
import { REPORT_STATES } from '../../integrations/report/report-tracker.ts';
import { beginWork } from './begin-work.ts';
import { decideWork } from './decide.ts';
import { endRun } from './end-run.ts';

/** Advances every run in progress: creates its issue, or ends the run with it. */
export async function followRuns(
  deps: Pick<Deps, 'db' | 'clock' | 'ids' | 'config' | 'trackers' | 'wake'>,
): Promise<void> {
  const rows = await deps.db
    .select({ run: automationRuns, issue: issues, report: attempts.summary })
    .from(automationRuns)
    .leftJoin(
      issues,
      and(eq(issues.tracker, automationRuns.tracker), eq(issues.id, automationRuns.issue_id)),
    )
    .leftJoin(attempts, eq(attempts.attempt_id, issues.current_attempt_id))
    .where(eq(automationRuns.status, 'running'));
  for (const { run, issue, report } of rows) {
    if (run.step !== 'working') await beginWork(deps, run);
    else await follow(deps, run, issue, report);
  }
}

async function follow(
  deps: Pick<Deps, 'db' | 'clock' | 'trackers'>,
  run: AutomationRunRow,
  issue: IssueRow | null,
  report: string | null,
): Promise<void> {
  if (run.mode === 'refresh') return;
  const decision = decideWork({
    mode: run.mode,
    ageMs: deps.clock.nowMs() - run.started_at_ms,
    issue:
      issue === null
        ? null
        : { status: issue.status, reason: issue.reason, active: isActive(deps, issue) },
  });
  if (decision.kind === 'wait') return;
  const { status, message } = decision;
  const issueKnown = issue !== null;
  if (run.mode === 'implement') return endRun(deps, run, { status, message, issueKnown });
  const empty = status === 'completed' && (report ?? '').trim() === '';
  await endRun(deps, run, {
    status: empty ? 'failed' : status,
    message: empty ? 'the agent ended without a report' : message,
    report,
    issueKnown,
    extra: [
      updateIssue(
        deps.db,
        { tracker: run.tracker ?? '', id: run.issue_id ?? '' },
        { state: REPORT_STATES.ended },
      ),
    ],
  });
}

function isActive(deps: Pick<Deps, 'trackers'>, issue: IssueRow): boolean {
  const roles = deps.trackers.get(issue.tracker)?.stateRoles();
  return roles !== undefined && isOneOf(issue.state, roles.active);
}
