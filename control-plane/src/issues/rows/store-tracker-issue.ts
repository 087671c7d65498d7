import { sql } from 'drizzle-orm';
import type { Database, Statement } from '../../db/database.ts';
import { type IssueRow, issues } from '../../db/schema/work/issues.ts';
import { newIssueRow, trackerColumns } from '../../ports/tracker/issue-row.ts';
import type { TrackerIssue } from '../../ports/tracker/tracker.ts';

/**
 * The statement that stores what a person wrote about an issue, new or known, in a tracker that this
 * service is itself. Decisions about a known one stay; its version rises, so that a decision that is
 * being made is made again.
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

/** The statement that stores an issue that must not be there yet. */
export function insertIssueRow(db: Database, row: IssueRow): Statement {
  return db.insert(issues).values(row);
}
