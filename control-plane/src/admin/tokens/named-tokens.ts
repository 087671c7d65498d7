import { and, eq, isNull, lt, or } from 'drizzle-orm';
import type { Database } from '../../db/database.ts';
import { apiTokens } from '../../db/schema/admin/api-tokens.ts';
import type { TokenVerifier } from '../../http/caller/environment-tokens.ts';
import type { BackgroundTasks, Clock } from '../../ports/ports.ts';
import { sha256Hex } from '../../sha256-hex.ts';
import { type ApiTokenRow, tokenByHash, tokenById } from './queries.ts';
import { auditStatement } from '../../observe/audit/audit-statement.ts';
import type { Caller } from '../../http/caller/caller.ts';

/** Prefix that lets people and secret scanners recognise a token. */
export const TOKEN_PREFIX = 'swy_';
const MAX_TOKEN_CHARACTERS = 200;
/** A token's last use is written at most once in this time. */
const USE_NOTED_EVERY_MS = 60_000;

type TokenDeps = { db: Database; clock: Clock; background: BackgroundTasks };

/**
 * Verifies the environment's tokens and those that people created. The latter are looked up by
 * digest, so that timing reveals nothing about a token.
 */
export function namedTokens(environment: TokenVerifier, deps: TokenDeps): TokenVerifier {
  return {
    async verify(token) {
      const known = await environment.verify(token);
      if (known !== null) return known;
      if (!token.startsWith(TOKEN_PREFIX) || token.length > MAX_TOKEN_CHARACTERS) return null;
      const row = await tokenByHash(deps.db, await sha256Hex(token));
      if (row === null) return null;
      noteUse(deps, row);
      return { name: row.name, scope: row.scope, tokenId: row.token_id };
    },
    async credentialOf(principal) {
      if (principal.tokenId === undefined) return environment.credentialOf(principal);
      return (await tokenById(deps.db, principal.tokenId))?.token_hash ?? null;
    },
    readsNeedToken: () => environment.readsNeedToken(),
    writesPossible: () => environment.writesPossible(),
  };
}

/** Runs after the response: nobody waits for it, and losing it is harmless. */
function noteUse({ db, clock, background }: TokenDeps, row: ApiTokenRow): void {
  const nowMs = clock.nowMs();
  const beforeMs = nowMs - USE_NOTED_EVERY_MS;
  if (row.last_used_at_ms !== null && row.last_used_at_ms > beforeMs) return;
  const { token_id, last_used_at_ms: usedAtMs } = apiTokens;
  background.run('note the use of a token', async () => {
    await db
      .update(apiTokens)
      .set({ last_used_at_ms: nowMs })
      .where(and(eq(token_id, row.token_id), or(isNull(usedAtMs), lt(usedAtMs, nowMs))));
  });
}

/** Records that a token was exchanged for a session. */
export async function recordSignIn(
  { db, clock }: { db: Database; clock: Clock },
  caller: Caller,
): Promise<void> {
  await db.batch([auditStatement(db, clock.nowMs(), caller, { operation: 'session.begin' })]);
}
