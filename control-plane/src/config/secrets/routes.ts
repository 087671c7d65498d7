import { z } from '@hono/zod-openapi';
import { deleteSecret } from './delete-secret.ts';
import { secretKeys } from './queries.ts';
import { rotateMasterKey } from './rotate-master-key.ts';
import { MAX_SECRET_CHARACTERS } from './accept-secret.ts';
import { setSecret } from './set-secret.ts';
import { endpoint, json, nothing } from '../../http/endpoint/endpoint.ts';
import { OffsetPage } from '../../http/endpoint/page-limit.ts';
import type { SecretDeps } from './store-with-trail.ts';
import { namedObject, strictNamedObject } from '@switchyard/shared/named-object';

const SecretKeys = namedObject(
  'SecretKeys',
  { keys: z.array(z.string()), total: z.int() },
  'Names in alphabetical order, never values.',
);
const SecretValue = strictNamedObject(
  'SecretValue',
  { value: z.string().min(1).max(MAX_SECRET_CHARACTERS) },
  'The value',
);
const ByKey = z.object({ key: z.string().describe('Name of the secret.') });
const Rotation = namedObject('MasterKeyRotation', {
  masterKeyId: z.string().describe('Says which key it is and nothing about it.'),
  reencrypted: z.int().describe('Secrets that were under an older key.'),
});

/** Routes of secrets: stored encrypted, listed by name, never returned. */
export function secretRoutes(deps: SecretDeps) {
  return [
    endpoint({
      at: 'GET /api/v1/secrets',
      summary: 'Names of the stored secrets',
      query: OffsetPage,
      answer: json(200, 'A page of names', SecretKeys),
      handler: ({ query }) => secretKeys(deps.db, query),
    }),
    endpoint({
      at: 'POST /api/v1/secrets/{key}',
      summary: 'Store a secret, in place of one of that name',
      params: ByKey,
      body: SecretValue,
      answer: nothing('Stored'),
      refusals: { 409: 'There are too many secrets already' },
      handler: ({ params: { key }, body: { value }, caller }) =>
        setSecret(deps, { caller, key, value }),
    }),
    endpoint({
      at: 'DELETE /api/v1/secrets/{key}',
      summary: 'Delete a secret',
      params: ByKey,
      answer: nothing('Deleted'),
      handler: ({ params: { key }, caller }) => deleteSecret(deps, { caller, key }),
    }),
    endpoint({
      at: 'POST /api/v1/master-key/rotate',
      summary: 'Encrypt all secrets under a new master key',
      description:
        'Makes a new key where the service keeps its key in a file; where SERVICE_MASTER_KEY is set, ' +
        'moves what is still under SERVICE_MASTER_KEY_PREVIOUS to it.',
      answer: json(200, 'What was done', Rotation),
      refusals: { 409: 'A secret is damaged, or under a key that is not here' },
      handler: ({ caller }) => rotateMasterKey(deps, caller),
    }),
  ] as const;
}
