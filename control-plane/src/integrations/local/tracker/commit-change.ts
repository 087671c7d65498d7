import { sql } from 'drizzle-orm';
import type { Statement } from '../../../db/database.ts';
import { type IssueRow, issues } from '../../../db/schema/work/issues.ts';
import { commitWithEvent } from '../../../observe/events/commit-with-event.ts';
import type { TrackerIssue } from '../../../issues/tracker/tracker.ts';
import { newIssueRow, trackerColumns } from '../../../issues/tracker/issue-row.ts';
import { LOCAL_TRACKER, type LocalTrackerDeps } from './local-tracker-deps.ts';

/**
 * Brings the orchestrator's index up to date with a person's change in the batch that makes it.
 * Its decisions are left alone; the version rises so that one under way is taken again.
 */
export function indexStatement(deps: LocalTrackerDeps, issue: TrackerIssue): Statement {
  return deps.db
    .insert(issues)
    .values(newIssueRow(LOCAL_TRACKER, issue))
    .onConflictDoUpdate({
      target: [issues.tracker, issues.id],
      set: { ...trackerColumns(LOCAL_TRACKER, issue), version: sql`${issues.version} + 1` },
    });
}

/** Commits the statements together with one `issue.updated` event. */
export function commitChange(
  deps: LocalTrackerDeps,
  nowMs: number,
  issue: Pick<IssueRow, 'id' | 'identifier' | 'status' | 'reason'>,
  statements: [Statement, ...Statement[]],
): Promise<void> {
  const { id: issueId, identifier, status, reason } = issue;
  const data = { identifier, issueId, status, reason };
  return commitWithEvent(deps, { type: 'issue.updated', atMs: nowMs, data }, statements);
}
