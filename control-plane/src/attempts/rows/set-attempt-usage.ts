import { eq, type SQL } from 'drizzle-orm';
import type { Database, Statement } from '../../db/database.ts';
import { attempts } from '../../db/schema/work/attempts.ts';

/** The statement that stores an attempt's total usage, whichever runner holds it. */
export function setAttemptUsage(
  db: Database,
  attemptId: string,
  used: { tokens?: SQL; cost_usd: SQL | number | null; unpriced_tokens: SQL | number },
): Statement {
  return db.update(attempts).set(used).where(eq(attempts.attempt_id, attemptId));
}
