import { z } from 'zod';

const ShortText = z.string().trim().min(1).max(500);

/** Settings of a proxy that signs people in; also read from `SERVICE_IDENTITY_*`. */
export const IdentityProxy = z.strictObject({
  issuer: ShortText.describe('The `iss` that its tokens carry.'),
  audience: ShortText.describe('The `aud` that its tokens carry.'),
  jwksUrl: z
    .url({ protocol: /^https?$/ })
    .max(2_048)
    .refine(isPrivateOnTheWay, 'must be https, or http on this machine')
    .describe('Address of its public keys.'),
  header: z
    .string()
    .regex(/^[A-Za-z0-9-]{1,100}$/, 'must be the name of a header')
    .default('Cf-Access-Jwt-Assertion')
    .describe('Header that carries the token.'),
  scope: z
    .enum(['read', 'operate', 'admin'])
    .default('admin')
    .describe('What people whom it lets through may do.'),
});
export type IdentityProxy = z.infer<typeof IdentityProxy>;

function isPrivateOnTheWay(address: string): boolean {
  if (!URL.canParse(address)) return false;
  const { protocol, hostname } = new URL(address);
  return protocol === 'https:' || ['localhost', '127.0.0.1', '[::1]'].includes(hostname);
}
