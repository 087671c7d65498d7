import { z } from 'zod';
import { HostRule } from './host-rule.ts';

/** A host that gets a secret: one by name, without stars. Without a port 443 is meant. */
export const SecretHost = HostRule.refine((text) => !text.includes('*'), {
  message: 'a secret is for hosts by name: no stars',
});

/** Headers that say how a message is carried; a secret in one of them would break it. */
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
 * A secret that the runner's proxy adds to requests to some hosts. Says where and how; the value
 * travels sealed, beside the specification, and never comes into a container.
 */
export const WorkSecret = z.object({
  name: z.string().max(200),
  hosts: z.array(SecretHost).min(1).max(20),
  header: SecretHeader,
  scheme: SecretScheme,
  user: SecretUser.optional(),
  /** Also methods that change something; otherwise GET, HEAD and what git's fetch needs. */
  writes: z.boolean(),
});
export type WorkSecret = z.infer<typeof WorkSecret>;

/** Secrets of one attempt at most. */
export const MAX_WORK_SECRETS = 20;

/** Why a value that is not so is refused. */
export const UNSENDABLE_SECRET =
  'is granted to work and must have 8 to 8,192 visible ASCII characters';

/** Whether a value can be sent in a header and be told apart from other text in an answer. */
export function isSendableSecret(value: string): boolean {
  return /^[\x21-\x7e](?:[\x20-\x7e]{6,8190}[\x21-\x7e])$/.test(value);
}
