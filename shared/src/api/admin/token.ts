import { z } from 'zod';
import { namedObject, strictNamedObject } from '../../named-object.ts';

/** What the holder of a token may do; each scope includes the ones before it. */
export const TokenScope = z.enum(['read', 'operate', 'admin']);

export const ApiToken = namedObject('ApiToken', {
  tokenId: z.string(),
  name: z.string().describe('Becomes the actor in the audit.'),
  scope: TokenScope,
  createdAt: z.iso.datetime(),
  createdBy: z.string(),
  lastUsedAt: z.iso.datetime().nullable().describe('Exact to a minute.'),
});
export type ApiToken = z.infer<typeof ApiToken>;

export const ApiTokenList = namedObject('ApiTokenList', {
  tokens: z.array(ApiToken),
  total: z.int(),
});

export const CreateApiToken = strictNamedObject('CreateApiToken', {
  name: z
    .string()
    .regex(/^[A-Za-z0-9][A-Za-z0-9._@-]*$/, 'must be letters, digits, dots, dashes, _ and @')
    .max(100),
  scope: TokenScope,
});

export const CreatedApiToken = ApiToken.extend({
  token: z.string().describe('Shown this once; only its digest is kept.'),
}).meta({ id: 'CreatedApiToken' });
