import { auditStatement } from '../../observe/audit/audit-statement.ts';
import type { Caller } from '../../observe/audit/caller.ts';
import type { Database } from '../../db/database.ts';
import type { Clock } from '../../ports.ts';

/** Writes down that a token was exchanged for a session. */
export async function recordSignIn(
  { db, clock }: { db: Database; clock: Clock },
  caller: Caller,
): Promise<void> {
  await db.batch([auditStatement(db, clock.nowMs(), caller, { operation: 'session.begin' })]);
}
