import { sql } from 'drizzle-orm';
import { commitChange } from '../../observe/events/commit-change.ts';
import type { Caller } from '../../http/caller/caller.ts';
import type { Database } from '../../db/database.ts';
import { apiTokens } from '../../db/schema/admin/api-tokens.ts';
import { AppError } from '../../errors.ts';
import type { Clock, Ids } from '../../ports/ports.ts';
import { sha256Hex } from '../../sha256-hex.ts';
import { TOKEN_PREFIX } from './named-tokens.ts';
import type { ApiTokenRow } from './queries.ts';

const MAX_TOKENS = 500;

/**
 * Creates a token for a person or a program. It is returned once; only its digest is stored. Throws
 * `conflict` for a used name, and when there are 500 tokens.
 */
export async function createToken(
  deps: { db: Database; clock: Clock; ids: Ids },
  caller: Caller,
  input: { name: string; scope: ApiTokenRow['scope'] },
): Promise<{ row: ApiTokenRow; token: string }> {
  const { db } = deps;
  const nowMs = deps.clock.nowMs();
  const token = `${TOKEN_PREFIX}${deps.ids.secret()}`;
  const row: ApiTokenRow = {
    token_id: deps.ids.next('tok'),
    name: input.name,
    scope: input.scope,
    token_hash: await sha256Hex(token),
    created_at_ms: nowMs,
    created_by: caller.actor,
    last_used_at_ms: null,
  };
  const committed = await commitChange(deps, {
    swap: db.run(sql`insert into api_tokens
          (token_id, name, scope, token_hash, created_at_ms, created_by)
        select ${row.token_id}, ${row.name}, ${row.scope}, ${row.token_hash},
          ${row.created_at_ms}, ${row.created_by}
        where not exists (select 1 from ${apiTokens} where name = ${row.name})
          and (select count(*) from ${apiTokens}) < ${MAX_TOKENS}`),
    audit: {
      caller,
      operation: 'token.create',
      subject: row.name,
      details: { tokenId: row.token_id, scope: row.scope },
    },
    nowMs,
  });
  if (!committed) {
    const message = `the name ${JSON.stringify(row.name)} is used, or there are ${MAX_TOKENS} tokens`;
    throw new AppError('conflict', message, { reason: 'name_used' });
  }
  return { row, token };
}
