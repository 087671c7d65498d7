import { createHash, timingSafeEqual } from 'node:crypto';
import { WireApi } from '@switchyard/shared/model-providers/wire-api';
import * as z from 'zod';
import type { ModelLedger } from './model/model-ledger.ts';
import type { EgressState } from './policy/admit.ts';
import { EgressPolicy } from './policy/egress-policy.ts';

/** Longest lifetime of a grant between renewals. */
export const MAX_GRANT_MS = 24 * 60 * 60_000;

const MAX_SECRET_CHARS = 8_192;

/** What the runner sends to the proxy about one attempt. The key stays in the proxy's memory. */
export const GrantRequest = z.strictObject({
  attemptId: z.string().regex(/^[A-Za-z0-9][A-Za-z0-9_.-]{0,99}$/),
  epoch: z.int().nonnegative(),
  /** Hex SHA-256 of the attempt's token; the token itself is not sent. */
  tokenHash: z.string().regex(/^[0-9a-f]{64}$/),
  /** Provider's address; paths are appended, without their version if the address ends in one. */
  upstreamBaseUrl: z.url({ protocol: /^https?$/ }),
  /** Wire format of the provider; paths of other formats are refused. */
  wireApi: WireApi.default('responses'),
  /** Key, sent in the header of the format; null for a provider that needs none. */
  apiKey: z.string().min(1).max(16_384).nullable(),
  /** Expiry by wall clock; a repeated grant renews it. */
  expiresAtMs: z.int(),
  /** Folder for `proxy.sock`; null for process isolation, which uses the loopback port. */
  socketFolder: z.string().startsWith('/').max(90).nullable(),
  /** Network access besides the provider; null: none. */
  egress: EgressPolicy.nullable().default(null),
  /** Values of the policy's secrets by name; kept in memory like the key. */
  secretValues: z.record(z.string(), z.string().max(MAX_SECRET_CHARS)).default({}),
});
export type GrantRequest = z.input<typeof GrantRequest>;

/** A grant as the control socket shows it, without key and hash. */
export type GrantStatus = {
  attemptId: string;
  epoch: number;
  expiresAtMs: number;
  requests: number;
  active: number;
};

/** An attempt's grant for its provider, as kept in memory. */
export type Grant = z.output<typeof GrantRequest> & {
  requests: number;
  active: number;
  revoked: AbortController;
  world: EgressState | null;
  /** The provider's responses so far. */
  ledger: ModelLedger;
  /** Wall clock, milliseconds. */
  now: () => number;
};

export const grantKey = (owner: { attemptId: string; epoch: number }): string =>
  `${owner.attemptId}/${owner.epoch}`;

/** The hash by which a token is granted. */
export function hashToken(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

/** Compares a presented token with a grant in constant time. */
export function tokenMatches(grant: Grant, token: string): boolean {
  const presented = createHash('sha256').update(token).digest();
  return timingSafeEqual(presented, Buffer.from(grant.tokenHash, 'hex'));
}

/** The token in a proxy authorization header: a bearer token, or the password of a basic one. */
export function proxyToken(authorization: string | undefined): string {
  const bearer = /^Bearer ([\x21-\x7e]{1,4096})$/i.exec(authorization ?? '')?.[1];
  const basic = /^Basic ([A-Za-z0-9+/=]{1,8192})$/i.exec(authorization ?? '')?.[1];
  if (bearer !== undefined || basic === undefined) return bearer ?? '';
  return Buffer.from(basic, 'base64')
    .toString('latin1')
    .replace(/^[^:]*:/, '');
}
