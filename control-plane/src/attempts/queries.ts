import { and, desc, eq, inArray } from 'drizzle-orm';
import type { Database } from '../db/database.ts';
import { type AttemptRow, attempts } from '../db/schema/attempts.ts';
import { type IssueRow, issues } from '../db/schema/issues.ts';

export async function attemptById(db: Database, attemptId: string): Promise<AttemptRow | null> {
  const rows = await db.select().from(attempts).where(eq(attempts.attempt_id, attemptId)).limit(1);
  return rows[0] ?? null;
}

/** An attempt together with its issue, in one read. */
export async function attemptWithIssue(
  db: Database,
  attemptId: string,
): Promise<{ attempt: AttemptRow; issue: IssueRow } | null> {
  const rows = await db
    .select({ attempt: attempts, issue: issues })
    .from(attempts)
    .innerJoin(issues, and(eq(issues.tracker, attempts.tracker), eq(issues.id, attempts.issue_id)))
    .where(eq(attempts.attempt_id, attemptId))
    .limit(1);
  return rows[0] ?? null;
}

/** Attempts of an issue, newest first. */
export async function attemptsOfIssue(
  db: Database,
  issue: Pick<IssueRow, 'tracker' | 'id'>,
  limit: number,
): Promise<AttemptRow[]> {
  return db
    .select()
    .from(attempts)
    .where(and(eq(attempts.tracker, issue.tracker), eq(attempts.issue_id, issue.id)))
    .orderBy(desc(attempts.number))
    .limit(limit);
}

/** Attempts that are queued or running. */
export async function liveAttempts(db: Database): Promise<AttemptRow[]> {
  return db
    .select()
    .from(attempts)
    .where(inArray(attempts.status, ['queued', 'running']));
}
