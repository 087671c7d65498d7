import { auditStatement } from '../../observe/audit/audit-statement.ts';
import { SERVICE_CALLER } from '../../http/caller/caller.ts';
import type { Database } from '../../db/database.ts';
import type { Clock } from '../../ports/ports.ts';
import { deleteSecretsUnder } from './queries.ts';

/**
 * Deletes the secrets that are encrypted with a permanently lost master key and so are unreadable.
 */
export async function forgetSecrets(
  deps: { db: Database; clock: Clock },
  lost: { id: string; total: number },
): Promise<void> {
  const caller = { ...SERVICE_CALLER, path: 'start' };
  const details = { masterKeyId: lost.id, secrets: lost.total };
  await deps.db.batch([
    deleteSecretsUnder(deps.db, lost.id),
    auditStatement(deps.db, deps.clock.nowMs(), caller, { operation: 'secret.forget', details }),
  ]);
}
