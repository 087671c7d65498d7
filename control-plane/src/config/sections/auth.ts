import { z } from 'zod';
import { IdentityProxy } from '../../http/access/identity-proxy.ts';

/** `auth.*`: who has access besides the holders of tokens. */
export const AuthSection = z.strictObject({
  identity: IdentityProxy.optional().describe('A proxy in front that signs people in.'),
});
