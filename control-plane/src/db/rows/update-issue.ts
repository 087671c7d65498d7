import { and, eq, gt, isNotNull, or, type SQL, sql } from 'drizzle-orm';
import type { SQLiteUpdateSetSource } from 'drizzle-orm/sqlite-core';
import type { Database, Statement } from '../database.ts';
import { type IssueRow, issues } from '../schema/work/issues.ts';

export type IssueChange = Omit<SQLiteUpdateSetSource<typeof issues>, 'tracker' | 'id' | 'version'>;

/** The statement that changes an issue, whatever its version, if `onlyIf` holds. */
export function updateIssue(
  db: Database,
  { tracker, id }: Pick<IssueRow, 'tracker' | 'id'>,
  change: IssueChange,
  onlyIf?: SQL,
): Statement {
  return db
    .update(issues)
    .set({ ...change, version: sql`${issues.version} + 1` })
    .where(and(eq(issues.tracker, tracker), eq(issues.id, id), onlyIf));
}

/** As `updateIssue`, but only if the issue is unchanged since it was read: a compare-and-swap. */
export function swapIssue(
  db: Database,
  issue: Pick<IssueRow, 'tracker' | 'id' | 'version'>,
  change: IssueChange,
  onlyIf?: SQL,
): Statement {
  return updateIssue(db, issue, change, and(eq(issues.version, issue.version), onlyIf));
}

/**
 * The statement that resets the counts of unattended runs and starts, because a person has acted.
 */
export function forgetUnattendedRuns(
  db: Database,
  issue: Pick<IssueRow, 'tracker' | 'id'>,
): Statement {
  const { tracker_starts_ms: startsMs, unattended_runs: runs } = issues;
  const change = { tracker_starts_ms: null, unattended_runs: 0 };
  return updateIssue(db, issue, change, or(isNotNull(startsMs), gt(runs, 0)));
}

/**
 * The statement that stores an issue's total usage. It runs often and affects no decision, so the
 * row's version stays.
 */
export function setIssueUsage(
  db: Database,
  { tracker, id }: Pick<IssueRow, 'tracker' | 'id'>,
  used: { tokens: SQL; cost_usd: SQL; unpriced_tokens: SQL },
): Statement {
  return db
    .update(issues)
    .set(used)
    .where(and(eq(issues.tracker, tracker), eq(issues.id, id)));
}
