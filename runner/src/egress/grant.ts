import { createHash, timingSafeEqual } from 'node:crypto';
import { WireApi } from '@switchyard/shared/model-providers/wire-api';
import * as z from 'zod';
import type { ModelLedger } from './model/model-ledger.ts';
import type { EgressState } from './policy/admit.ts';
import { EgressPolicy } from './policy/egress-policy.ts';

/** Longest life of a grant between renewals. */
export const MAX_GRANT_MS = 24 * 60 * 60_000;

const MAX_SECRET_CHARS = 8_192;

/** What the runner tells the proxy about one attempt. The key stays in the proxy's memory. */
export const GrantRequest = z.strictObject({
  attemptId: z.string().regex(/^[A-Za-z0-9][A-Za-z0-9_.-]{0,99}$/),
  epoch: z.int().nonnegative(),
  /** Hex SHA-256 of the attempt's token; the token itself never comes here. */
  tokenHash: z.string().regex(/^[0-9a-f]{64}$/),
  /** Provider's address; paths are appended, less their version when it ends in one of its own. */
  upstreamBaseUrl: z.url({ protocol: /^https?$/ }),
  /** Format in which the provider is asked; paths of other formats are refused. */
  wireApi: WireApi.default('responses'),
  /** Sent in the header of the format; null for a provider that needs none. */
  apiKey: z.string().min(1).max(16_384).nullable(),
  /** Wall clock; a repeated grant renews it. */
  expiresAtMs: z.int(),
  /** Folder that gets `proxy.sock`; null for process isolation, which uses the loopback port. */
  socketFolder: z.string().startsWith('/').max(90).nullable(),
  /** What else may be reached; null: nothing but the provider. */
  egress: EgressPolicy.nullable().default(null),
  /** Values of the policy's secrets by name; like the key they stay in memory. */
  secretValues: z.record(z.string(), z.string().max(MAX_SECRET_CHARS)).default({}),
});
export type GrantRequest = z.input<typeof GrantRequest>;

/** A grant as the control socket shows it: without key and hash. */
export type GrantStatus = {
  attemptId: string;
  epoch: number;
  expiresAtMs: number;
  requests: number;
  active: number;
};

/** An attempt's right to call its provider, as held in memory. */
export type Grant = z.output<typeof GrantRequest> & {
  requests: number;
  active: number;
  revoked: AbortController;
  world: EgressState | null;
  /** What its provider answered so far. */
  ledger: ModelLedger;
  /** Wall clock. */
  now: () => number;
};

export const grantKey = (owner: { attemptId: string; epoch: number }): string =>
  `${owner.attemptId}/${owner.epoch}`;

/** Hash under which a token is granted. */
export function hashToken(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

/** Compares a presented token with a grant in constant time. */
export function tokenMatches(grant: Grant, token: string): boolean {
  const presented = createHash('sha256').update(token).digest();
  return timingSafeEqual(presented, Buffer.from(grant.tokenHash, 'hex'));
}

/** The token in a proxy's own authorization: a bearer's, or the password of a basic one. */
export function proxyToken(authorization: string | undefined): string {
  const bearer = /^Bearer ([\x21-\x7e]{1,4096})$/i.exec(authorization ?? '')?.[1];
  const basic = /^Basic ([A-Za-z0-9+/=]{1,8192})$/i.exec(authorization ?? '')?.[1];
  if (bearer !== undefined || basic === undefined) return bearer ?? '';
  return Buffer.from(basic, 'base64')
    .toString('latin1')
    .replace(/^[^:]*:/, '');
}
