import { eq, type SQL, sql } from 'drizzle-orm';
import type { Database, Statement } from '../../../../db/database.ts';
import { localIssues } from '../../../../db/schema/work/local-issues.ts';

/** The time of a change: it rises on every one, also within a millisecond, so that none is missed. */
export function nextUpdateMs(nowMs: number): SQL<number> {
  return sql`max(${nowMs}, ${localIssues.updated_at_ms} + 1)`;
}

/**
 * The statement that says that an issue was updated now: a comment is an update of its issue, as in
 * other trackers. The next sync shows it to everybody.
 */
export function touchLocalIssue(db: Database, id: string, nowMs: number): Statement {
  return db
    .update(localIssues)
    .set({ updated_at_ms: nextUpdateMs(nowMs) })
    .where(eq(localIssues.id, id));
}
