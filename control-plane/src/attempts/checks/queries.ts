import { eq } from 'drizzle-orm';
import type { Database } from '../../db/database.ts';
import { type AttemptCheckRow, attemptChecks } from '../../db/schema/work/attempt-checks.ts';

/** What is stored of the declared checks of an attempt, in no order; at most one row for each. */
export async function checksOfAttempt(db: Database, attemptId: string): Promise<AttemptCheckRow[]> {
  return db.select().from(attemptChecks).where(eq(attemptChecks.attempt_id, attemptId));
}
