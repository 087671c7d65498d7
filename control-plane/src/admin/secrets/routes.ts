import { createRoute, defineOpenAPIRoute, z } from '@hono/zod-openapi';
import { callerOf } from '../../http/caller/caller.ts';
import { errorResponses } from '../../http/error-responses.ts';
import { jsonContent } from '../../json-content.ts';
import { deleteSecret } from './delete-secret.ts';
import { secretKeys } from './queries.ts';
import { rotateMasterKey } from './rotate-master-key.ts';
import { MAX_SECRET_CHARACTERS, setSecret } from './set-secret.ts';
import type { SecretDeps } from './store-with-trail.ts';

const Page = z.object({
  limit: z.coerce.number().int().min(1).max(500).default(50).describe('Names to answer.'),
  offset: z.coerce.number().int().min(0).default(0).describe('Names to leave out first.'),
});
const SecretKeys = z
  .object({ keys: z.array(z.string()), total: z.int() })
  .meta({ id: 'SecretKeys', description: 'Names in alphabetical order, never values.' });
const SecretValue = z
  .strictObject({ value: z.string().min(1).max(MAX_SECRET_CHARACTERS) })
  .meta({ id: 'SecretValue' });
const KeyParams = z.object({ key: z.string().describe('Name of the secret.') });
const Rotation = z
  .object({
    masterKeyId: z.string().describe('Says which key it is and nothing about it.'),
    reencrypted: z.int().describe('Secrets that were under an older key.'),
  })
  .meta({ id: 'MasterKeyRotation' });

/** Secrets: stored encrypted, listed by name, never answered. */
export function secretRoutes(deps: SecretDeps) {
  return [listRoute(deps), setRoute(deps), deleteRoute(deps), rotateRoute(deps)] as const;
}

function listRoute(deps: SecretDeps) {
  return defineOpenAPIRoute({
    route: createRoute({
      method: 'get',
      path: '/api/v1/secrets',
      summary: 'Names of the stored secrets',
      request: { query: Page },
      responses: { 200: jsonContent('A page of names', SecretKeys), ...errorResponses(400) },
    }),
    handler: async (c) => c.json(await secretKeys(deps.db, c.req.valid('query')), 200),
  });
}

function setRoute(deps: SecretDeps) {
  return defineOpenAPIRoute({
    route: createRoute({
      method: 'post',
      path: '/api/v1/secrets/{key}',
      summary: 'Store a secret, in place of one of that name',
      request: {
        params: KeyParams,
        body: { required: true, ...jsonContent('The value', SecretValue) },
      },
      responses: {
        204: { description: 'Stored' },
        ...errorResponses(400, 403, 409, 413, 415),
      },
    }),
    handler: async (c) => {
      const { key } = c.req.valid('param');
      await setSecret(deps, { caller: callerOf(c), key, value: c.req.valid('json').value });
      return c.body(null, 204);
    },
  });
}

function deleteRoute(deps: SecretDeps) {
  return defineOpenAPIRoute({
    route: createRoute({
      method: 'delete',
      path: '/api/v1/secrets/{key}',
      summary: 'Delete a secret',
      request: { params: KeyParams },
      responses: { 204: { description: 'Deleted' }, ...errorResponses(403, 404) },
    }),
    handler: async (c) => {
      await deleteSecret(deps, { caller: callerOf(c), key: c.req.valid('param').key });
      return c.body(null, 204);
    },
  });
}

function rotateRoute(deps: SecretDeps) {
  return defineOpenAPIRoute({
    route: createRoute({
      method: 'post',
      path: '/api/v1/master-key/rotate',
      summary: 'Encrypt all secrets under a new master key',
      description:
        'Makes a new key where the service keeps its key in a file; where SERVICE_MASTER_KEY is set, ' +
        'moves what is still under SERVICE_MASTER_KEY_PREVIOUS to it.',
      responses: { 200: jsonContent('What was done', Rotation), ...errorResponses(403, 409) },
    }),
    handler: async (c) => c.json(await rotateMasterKey(deps, callerOf(c)), 200),
  });
}
