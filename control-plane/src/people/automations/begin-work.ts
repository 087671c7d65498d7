import { someCauseSays } from '@switchyard/shared/causes-of';
import { and, eq } from 'drizzle-orm';
import { nextNumber } from '../../observe/events/next-number.ts';
import { commitChange } from '../../observe/events/commit-change.ts';
import { insertIssueRow } from '../../issues/rows/store-tracker-issue.ts';
import { issueEvent } from '../../issues/rows/issue-event.ts';
import { type AutomationRunRow, automationRuns } from '../../db/schema/people/automations.ts';
import type { Deps } from '../../deps.ts';
import { newIssueRow } from '../../ports/tracker/issue-row.ts';
import { REPORT_STATES, REPORT_TRACKER } from '../../integrations/report/report-tracker.ts';
import type { TrackerIssue } from '../../ports/tracker/tracker.ts';
import { errorMessage } from '../../error-message.ts';
import { endRun } from './end-run.ts';
import { setTimer } from '../../jobs/queue/set-timer.ts';

/** Creates the issue that a run works on; dispatch starts it from there. */
export async function beginWork(
  deps: Pick<Deps, 'db' | 'clock' | 'ids' | 'config' | 'trackers' | 'wake'>,
  run: AutomationRunRow,
): Promise<void> {
  if (run.step === 'creating') {
    // A retry might create a second issue.
    const message = 'interrupted while the tracker made the issue; look whether it is there';
    return endRun(deps, run, { status: 'failed', message });
  }
  return run.mode === 'report' ? makeReport(deps, run) : makeIssue(deps, run);
}

async function makeIssue(
  deps: Pick<Deps, 'db' | 'clock' | 'config' | 'trackers' | 'wake'>,
  run: AutomationRunRow,
): Promise<void> {
  const { tracker: settings } = await deps.config.load();
  const tracker = deps.trackers.get(settings.kind);
  if (tracker === undefined) {
    const message = `the tracker ${settings.kind} is not available`;
    return endRun(deps, run, { status: 'failed', message });
  }
  const asking = await deps.db
    .update(automationRuns)
    .set({ step: 'creating' })
    .where(and(eq(automationRuns.run_id, run.run_id), eq(automationRuns.step, 'queued')));
  if (asking.rowsAffected !== 1) return;
  const { title, prompt, labels, priority } = run.work;
  let issue: TrackerIssue;
  try {
    issue = await tracker.createIssue({
      title,
      description: prompt,
      labels,
      ...(priority === null ? {} : { priority }),
    });
  } catch (error) {
    const why = errorMessage(error);
    return endRun(deps, run, { status: 'failed', message: `the issue was not made: ${why}` });
  }
  const nowMs = deps.clock.nowMs();
  await deps.db.batch([
    deps.db
      .update(automationRuns)
      .set({
        step: 'working',
        tracker: tracker.kind,
        issue_id: issue.id,
        identifier: issue.identifier,
      })
      .where(eq(automationRuns.run_id, run.run_id)),
    setTimer(deps.db, 'poll', nowMs),
  ]);
  deps.wake();
}

async function makeReport(
  deps: Pick<Deps, 'db' | 'clock' | 'ids' | 'config' | 'wake'>,
  run: AutomationRunRow,
): Promise<void> {
  const { db } = deps;
  const nowMs = deps.clock.nowMs();
  const number = await nextNumber(db, 'report_number');
  const { title, prompt, labels, priority } = run.work;
  const repo = run.work.repo ?? (await onlyRepository(deps));
  const issue: TrackerIssue = {
    id: deps.ids.next('iss'),
    identifier: `REPORT-${number}`,
    title,
    description: prompt,
    priority,
    state: REPORT_STATES.active,
    branchName: null,
    url: null,
    labels,
    assigneeId: null,
    blockedBy: [],
    createdAtMs: nowMs,
    updatedAtMs: nowMs,
    nativeRef: run.run_id,
  };
  const { id, identifier } = issue;
  const row = { ...newIssueRow(REPORT_TRACKER, issue), read_only: true, repository_url: repo };
  try {
    const committed = await commitChange(deps, {
      swap: db
        .update(automationRuns)
        .set({ step: 'working', tracker: REPORT_TRACKER, issue_id: id, identifier })
        .where(and(eq(automationRuns.run_id, run.run_id), eq(automationRuns.step, 'queued'))),
      also: [insertIssueRow(db, row)],
      events: [issueEvent(row)],
      nowMs,
    });
    if (!committed) return;
  } catch (error) {
    if (!isIdentifierTaken(error)) throw error;
    const message = `${identifier} is an issue of another tracker; run it once more`;
    return endRun(deps, run, { status: 'failed', message });
  }
  deps.wake();
}

/** The only configured repository, which a report need not name; null when there are several. */
async function onlyRepository({ config }: Pick<Deps, 'config'>): Promise<string | null> {
  const urls = new Set((await config.load()).repos.map((route) => route.url));
  const [url] = urls;
  return urls.size === 1 && url !== undefined ? url : null;
}

function isIdentifierTaken(error: unknown): boolean {
  return someCauseSays(error, /UNIQUE constraint failed: issues\.identifier/);
}
