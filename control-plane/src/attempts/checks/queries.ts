import { eq } from 'drizzle-orm';
import type { Database } from '../../db/database.ts';
import { type AttemptCheckRow, attemptChecks } from '../../db/schema/work/attempt-checks.ts';

/** The stored results of an attempt's declared checks, in no order, at most one for each check. */
export async function checksOfAttempt(db: Database, attemptId: string): Promise<AttemptCheckRow[]> {
  return db.select().from(attemptChecks).where(eq(attemptChecks.attempt_id, attemptId));
}
