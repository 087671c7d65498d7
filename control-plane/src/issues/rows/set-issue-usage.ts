import { and, eq, type SQL } from 'drizzle-orm';
import type { Database, Statement } from '../../db/database.ts';
import { issues } from '../../db/schema/work/issues.ts';

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
