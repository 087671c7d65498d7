import type { Context, MiddlewareHandler } from 'hono';
import { AppError } from '../errors.ts';
import type { HttpEnv } from './bindings.ts';
import { callerFrom } from './caller.ts';
import { isLocal } from './local-caller.ts';
import { hasOwnAuthorization, isReadMethod } from './request-paths.ts';
import type { Principal, TokenVerifier } from './tokens.ts';

export type AccessPolicy = {
  tokens: TokenVerifier;
  /** Host names beside the loopback ones that mean this machine: `SERVICE_ALLOWED_HOSTS`. */
  allowedHosts: readonly string[];
  /** Who a session cookie stands for; left out while there are no sessions. */
  sessionPrincipal?: (c: Context<HttpEnv>) => Promise<Principal | null>;
};

/**
 * Lets a request through or answers 401 or 403, and names the caller for the audit. This machine
 * may do everything; others read (unless reads need a token too) and change things with a token.
 * Webhooks, the trigger, runner routes and static files check their callers themselves.
 */
export function authorize(policy: AccessPolicy): MiddlewareHandler<HttpEnv> {
  return async function authorize(c, next) {
    const principal = await findPrincipal(c, policy);
    const local = isLocalRequest(c, policy);
    c.set('caller', callerFrom(c, principal?.name ?? (local ? 'local' : 'anonymous')));
    if (!local && !hasOwnAuthorization(c.req.path)) requirePermission(c, policy, principal);
    await next();
  };
}

function isLocalRequest(c: Context<HttpEnv>, policy: AccessPolicy): boolean {
  const remoteAddress = c.env?.remoteAddress ?? null;
  const { url, headers } = c.req.raw;
  return isLocal({ remoteAddress, url, headers }, policy.allowedHosts);
}

async function findPrincipal(c: Context<HttpEnv>, policy: AccessPolicy): Promise<Principal | null> {
  const token = bearerToken(c.req.header('Authorization'));
  if (token !== null) return policy.tokens.verify(token);
  return (await policy.sessionPrincipal?.(c)) ?? null;
}

function bearerToken(header: string | undefined): string | null {
  return /^Bearer +(\S+) *$/i.exec(header ?? '')?.[1] ?? null;
}

function requirePermission(
  c: Context<HttpEnv>,
  policy: AccessPolicy,
  principal: Principal | null,
): void {
  const isRead = isReadMethod(c.req.method);
  if (isRead && (principal !== null || !policy.tokens.readsNeedToken())) return;
  if (principal !== null && principal.scope !== 'read') return;
  if (!isRead && !policy.tokens.writesPossible()) {
    throw new AppError('forbidden', 'remote changes are off until SERVICE_WRITE_TOKEN is set', {
      reason: 'no_write_token',
    });
  }
  if (principal !== null) {
    throw new AppError('forbidden', 'this token may only read', { reason: 'insufficient_scope' });
  }
  const action = isRead ? 'reading' : 'changing things';
  throw new AppError('unauthorized', `${action} from another machine needs a valid bearer token`, {
    headers: { 'WWW-Authenticate': 'Bearer' },
  });
}
