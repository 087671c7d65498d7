import { sql, and, eq, type SQL } from 'drizzle-orm';
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

/**
 * The statement that stores an issue's total usage. It runs often and affects no decision, so the
 * row's version stays.
 */
export function setIssueUsage(
  db: Database,
  { tracker, id }: { tracker: string; id: string },
  used: { tokens: SQL; cost_usd: SQL; unpriced_tokens: SQL },
): Statement {
  return db
    .update(issues)
    .set(used)
    .where(and(eq(issues.tracker, tracker), eq(issues.id, id)));
}
