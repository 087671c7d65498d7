import { sql } from 'drizzle-orm';
import type { Database, Statement } from '../../db/database.ts';
import { type IssueRow, issues } from '../../db/schema/work/issues.ts';
import { newIssueRow, trackerColumns } from '../../ports/tracker/issue-row.ts';
import type { TrackerIssue } from '../../ports/tracker/tracker.ts';

/**
 * The statement that stores an issue of a tracker that this service itself provides, new or
 * changed. Decisions about a recorded issue stay, but its version rises, so that a concurrent
 * decision is made again.
 */
export function storeTrackerIssue(db: Database, tracker: string, issue: TrackerIssue): Statement {
  return db
    .insert(issues)
    .values(newIssueRow(tracker, issue))
    .onConflictDoUpdate({
      target: [issues.tracker, issues.id],
      set: {
        ...trackerColumns(tracker, issue),
        tracker_starts_ms: null,
        unattended_runs: 0,
        version: sql`${issues.version} + 1`,
      },
    });
}

/** The statement that inserts an issue and fails if it already exists. */
export function insertIssueRow(db: Database, row: IssueRow): Statement {
  return db.insert(issues).values(row);
}
