import { z } from '@hono/zod-openapi';
import {
  type ApiToken,
  ApiTokenList,
  CreateApiToken,
  CreatedApiToken,
} from '@switchyard/shared/api/admin/token';
import type { Database } from '../../db/database.ts';
import { AppError } from '../../errors.ts';
import type { Clock, Ids } from '../../ports/ports.ts';
import { createToken } from './create-token.ts';
import { type ApiTokenRow, allTokens } from './queries.ts';
import { endpoint, json, nothing } from '../../http/endpoint/endpoint.ts';
import { revokeToken } from './revoke-token.ts';

/** Names that have another meaning in the audit log. */
const RESERVED = new Set(['local', 'anonymous', 'service', 'trigger', 'write-token', 'read-token']);

/** Routes of tokens for people and programs, in addition to the two from the environment. */
export function tokenRoutes(deps: { db: Database; clock: Clock; ids: Ids }) {
  return [
    endpoint({
      at: 'GET /api/v1/tokens',
      operationId: 'listTokens',
      summary: 'Tokens by name, never the tokens themselves',
      answer: json(200, 'Tokens', ApiTokenList),
      handler: async () => {
        const tokens = (await allTokens(deps.db)).map(tokenRecord);
        return { tokens, total: tokens.length };
      },
    }),
    endpoint({
      at: 'POST /api/v1/tokens',
      operationId: 'createToken',
      summary: 'Make a token; it is shown this once',
      body: CreateApiToken,
      answer: json(201, 'The token', CreatedApiToken),
      refusals: { 409: 'Its name is used' },
      noStore: true,
      showsSecret: true,
      handler: async ({ body, caller }) => {
        if (RESERVED.has(body.name.toLowerCase())) {
          throw new AppError('bad_request', 'name: this name means somebody else in the audit', {
            reason: 'invalid_input',
          });
        }
        const { row, token } = await createToken(deps, caller, body);
        return { ...tokenRecord(row), token };
      },
    }),
    endpoint({
      at: 'DELETE /api/v1/tokens/{tokenId}',
      operationId: 'revokeToken',
      summary: 'Revoke a token and its sessions',
      params: z.object({ tokenId: z.string().max(64) }),
      answer: nothing('Revoked'),
      handler: ({ params: { tokenId }, caller }) => revokeToken(deps, caller, tokenId),
    }),
  ] as const;
}

function tokenRecord(row: ApiTokenRow): ApiToken {
  const { last_used_at_ms: usedAtMs } = row;
  return {
    tokenId: row.token_id,
    name: row.name,
    scope: row.scope,
    createdAt: new Date(row.created_at_ms).toISOString(),
    createdBy: row.created_by,
    lastUsedAt: usedAtMs === null ? null : new Date(usedAtMs).toISOString(),
  };
}
