import { eq, type SQL, sql } from 'drizzle-orm';
import type { Database, Statement } from '../../../../db/database.ts';
import { localIssues } from '../../../../db/schema/work/local-issues.ts';

/**
 * The time of a change; it always increases, even within a millisecond, so that no change is
 * missed.
 */
export function nextUpdateMs(nowMs: number): SQL<number> {
  return sql`max(${nowMs}, ${localIssues.updated_at_ms} + 1)`;
}

/**
 * The statement that marks an issue as updated now: a comment counts as an update, as in other
 * trackers, so that the next sync shows it.
 */
export function touchLocalIssue(db: Database, id: string, nowMs: number): Statement {
  return db
    .update(localIssues)
    .set({ updated_at_ms: nextUpdateMs(nowMs) })
    .where(eq(localIssues.id, id));
}
