import { and, desc, eq, inArray, sql } from 'drizzle-orm';
import type { IssueStatus } from '@switchyard/shared/api/issue';
import type { Database } from '../db/database.ts';
import { type IssueRow, issues } from '../db/schema/issues.ts';

export async function issueByIdentifier(
  db: Database,
  identifier: string,
): Promise<IssueRow | null> {
  const rows = await db.select().from(issues).where(eq(issues.identifier, identifier)).limit(1);
  return rows[0] ?? null;
}

export async function issueById(
  db: Database,
  key: { tracker: string; id: string },
): Promise<IssueRow | null> {
  const rows = await db
    .select()
    .from(issues)
    .where(and(eq(issues.tracker, key.tracker), eq(issues.id, key.id)))
    .limit(1);
  return rows[0] ?? null;
}

/** Every indexed issue of a tracker. */
export async function issuesOfTracker(db: Database, tracker: string): Promise<IssueRow[]> {
  return db.select().from(issues).where(eq(issues.tracker, tracker));
}

/** Issues in any of these statuses, most recently changed first. */
export async function issuesByStatus(
  db: Database,
  statuses: IssueStatus[],
  limit: number,
): Promise<IssueRow[]> {
  return db
    .select()
    .from(issues)
    .where(inArray(issues.status, statuses))
    .orderBy(desc(issues.updated_at_ms))
    .limit(limit);
}

export async function countIssuesByStatus(db: Database): Promise<Record<string, number>> {
  const rows = await db
    .select({ status: issues.status, count: sql<number>`count(*)` })
    .from(issues)
    .groupBy(issues.status);
  return Object.fromEntries(rows.map((row) => [row.status, row.count]));
}
