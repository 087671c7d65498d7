import { eq } from 'drizzle-orm';
import { commitChange } from '../../observe/events/commit-change.ts';
import type { Caller } from '../../http/caller/caller.ts';
import type { Database } from '../../db/database.ts';
import { apiTokens } from '../../db/schema/admin/api-tokens.ts';
import { AppError } from '../../errors.ts';
import type { Clock } from '../../ports/ports.ts';
import { tokenById } from './queries.ts';

/** Revokes a token; the token and all sessions begun with it end at once. Throws `not_found`. */
export async function revokeToken(
  deps: { db: Database; clock: Clock },
  caller: Caller,
  tokenId: string,
): Promise<void> {
  const { db } = deps;
  const row = await tokenById(db, tokenId);
  const unknown = new AppError('not_found', `token ${JSON.stringify(tokenId)} not found`);
  if (row === null) throw unknown;
  const committed = await commitChange(deps, {
    swap: db.delete(apiTokens).where(eq(apiTokens.token_id, tokenId)),
    audit: {
      caller,
      operation: 'token.revoke',
      subject: row.name,
      details: { tokenId, scope: row.scope },
    },
  });
  if (!committed) throw unknown;
}
