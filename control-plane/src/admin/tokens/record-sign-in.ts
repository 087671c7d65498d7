import { auditStatement } from '../../observe/audit/audit-statement.ts';
import type { Caller } from '../../http/caller/caller.ts';
import type { Database } from '../../db/database.ts';
import type { Clock } from '../../ports/ports.ts';

/** Records that a token was exchanged for a session. */
export async function recordSignIn(
  { db, clock }: { db: Database; clock: Clock },
  caller: Caller,
): Promise<void> {
  await db.batch([auditStatement(db, clock.nowMs(), caller, { operation: 'session.begin' })]);
}
