import { z } from 'zod';
import { HostRule } from './host-rule.ts';

/** A host that gets a secret: an exact name without stars. Without a port, 443 is meant. */
export const SecretHost = HostRule.refine((text) => !text.includes('*'), {
  message: 'a secret is for hosts by name: no stars',
});

/** Headers for the transport of a message, which a secret would break. */
const CARRYING = new Set([
  'connection',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'expect',
  'host',
  'content-length',
  'content-encoding',
  'accept-encoding',
  'range',
  'if-range',
  'forwarded',
  'via',
  'proxy-authorization',
  'proxy-authenticate',
  'proxy-connection',
]);

export const SecretHeader = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9-]{0,99}$/, 'must be the name of a header')
  .refine((name) => !CARRYING.has(name.toLowerCase()), {
    message: 'this header says how a message is carried',
  });

/** `bearer`: `Bearer VALUE`. `basic`: user and value as for a login. `plain`: the value alone. */
export const SecretScheme = z.enum(['bearer', 'basic', 'plain']);
export const SecretUser = z.string().regex(/^[\x21-\x39\x3b-\x7e]{1,200}$/, {
  message: 'must be 1 to 200 visible ASCII characters without a colon',
});

/**
 * A secret that the runner's proxy adds to requests to some hosts. Describes where and how; the
 * value is sent sealed, beside the specification, and never enters a container.
 */
export const WorkSecret = z.object({
  name: z.string().max(200),
  hosts: z.array(SecretHost).min(1).max(20),
  header: SecretHeader,
  scheme: SecretScheme,
  user: SecretUser.optional(),
  /**
   * True: requests with any method get the secret; otherwise only GET, HEAD and those of a git
   * fetch.
   */
  writes: z.boolean(),
});
export type WorkSecret = z.infer<typeof WorkSecret>;

/** Maximum number of secrets of one attempt. */
export const MAX_WORK_SECRETS = 20;

/** Why a value that cannot be sent is refused. */
export const UNSENDABLE_SECRET =
  'is granted to work and must have 8 to 8,192 visible ASCII characters';

/** Whether a value can be sent in a header and be distinguished from other text in a response. */
export function isSendableSecret(value: string): boolean {
  return /^[\x21-\x7e](?:[\x20-\x7e]{6,8190}[\x21-\x7e])$/.test(value);
}
