import { createRoute, defineOpenAPIRoute, z } from '@hono/zod-openapi';
import {
  type ApiToken,
  ApiTokenList,
  CreateApiToken,
  CreatedApiToken,
} from '@switchyard/shared/api/admin/token';
import type { Database } from '../../db/database.ts';
import { AppError } from '../../errors.ts';
import { callerOf } from '../../http/caller/caller.ts';
import { errorResponses } from '../../http/error-responses.ts';
import { jsonContent } from '../../json-content.ts';
import type { Clock, Ids } from '../../ports.ts';
import { createToken } from './create-token.ts';
import { type ApiTokenRow, allTokens } from './queries.ts';
import { revokeToken } from './revoke-token.ts';

/** Names that mean somebody else in the audit. */
const RESERVED = new Set(['local', 'anonymous', 'service', 'trigger', 'write-token', 'read-token']);

/** Tokens for people and programs, beside the two that the environment names. */
export function tokenRoutes(deps: { db: Database; clock: Clock; ids: Ids }) {
  return [listRoute(deps), createTokenRoute(deps), revokeRoute(deps)] as const;
}

function listRoute(deps: { db: Database }) {
  return defineOpenAPIRoute({
    route: createRoute({
      method: 'get',
      path: '/api/v1/tokens',
      operationId: 'listTokens',
      tags: ['Access'],
      summary: 'Tokens by name, never the tokens themselves',
      responses: { 200: jsonContent('Tokens', ApiTokenList), ...errorResponses() },
    }),
    handler: async (c) => {
      const tokens = (await allTokens(deps.db)).map(tokenRecord);
      return c.json({ tokens, total: tokens.length }, 200);
    },
  });
}

function createTokenRoute(deps: { db: Database; clock: Clock; ids: Ids }) {
  return defineOpenAPIRoute({
    route: createRoute({
      method: 'post',
      path: '/api/v1/tokens',
      operationId: 'createToken',
      tags: ['Access'],
      summary: 'Make a token; it is shown this once',
      request: {
        body: { required: true, content: { 'application/json': { schema: CreateApiToken } } },
      },
      responses: {
        201: jsonContent('The token', CreatedApiToken),
        ...errorResponses(400, 403, 409, 413, 415),
      },
    }),
    handler: async (c) => {
      const input = c.req.valid('json');
      if (RESERVED.has(input.name.toLowerCase())) {
        throw new AppError('bad_request', 'name: this name means somebody else in the audit', {
          reason: 'invalid_input',
        });
      }
      const { row, token } = await createToken(deps, callerOf(c), input);
      c.header('Cache-Control', 'no-store');
      return c.json({ ...tokenRecord(row), token }, 201);
    },
  });
}

function revokeRoute(deps: { db: Database; clock: Clock }) {
  return defineOpenAPIRoute({
    route: createRoute({
      method: 'delete',
      path: '/api/v1/tokens/{tokenId}',
      operationId: 'revokeToken',
      tags: ['Access'],
      summary: 'Revoke a token and its sessions',
      request: { params: z.object({ tokenId: z.string().max(64) }) },
      responses: { 204: { description: 'Revoked' }, ...errorResponses(403, 404) },
    }),
    handler: async (c) => {
      await revokeToken(deps, callerOf(c), c.req.valid('param').tokenId);
      return c.body(null, 204);
    },
  });
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
