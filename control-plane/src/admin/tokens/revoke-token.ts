import { eq } from 'drizzle-orm';
import { auditStatement } from '../../observe/audit/audit-statement.ts';
import type { Caller } from '../../observe/audit/caller.ts';
import type { Database } from '../../db/database.ts';
import { isFenced, requireChange } from '../../db/require-change.ts';
import { apiTokens } from '../../db/schema/admin/api-tokens.ts';
import { AppError } from '../../errors.ts';
import type { Clock } from '../../ports.ts';
import { tokenById } from './queries.ts';

/** Revokes a token: it and every session begun with it end at once. Throws `not_found`. */
export async function revokeToken(
  deps: { db: Database; clock: Clock },
  caller: Caller,
  tokenId: string,
): Promise<void> {
  const { db } = deps;
  const row = await tokenById(db, tokenId);
  const unknown = new AppError('not_found', `token ${JSON.stringify(tokenId)} not found`);
  if (row === null) throw unknown;
  try {
    await db.batch([
      db.delete(apiTokens).where(eq(apiTokens.token_id, tokenId)),
      requireChange(db),
      auditStatement(db, deps.clock.nowMs(), caller, {
        operation: 'token.revoke',
        subject: row.name,
        details: { tokenId, scope: row.scope },
      }),
    ]);
  } catch (error) {
    if (isFenced(error)) throw unknown;
    throw error;
  }
}
