import type { Context, MiddlewareHandler } from 'hono';
import { AppError } from '../errors.ts';
import type { HttpEnv } from './bindings.ts';
import { callerFrom } from './caller.ts';
import type { IdentityVerifier } from './identity-proxy.ts';
import { isLocal } from './local-caller.ts';
import { neededScope, scopeCovers } from './needed-scope.ts';
import { hasOwnAuthorization, isReadMethod } from './request-paths.ts';
import type { Principal, TokenVerifier } from './tokens.ts';

export type AccessPolicy = {
  tokens: TokenVerifier;
  /** Host names beside the loopback ones that mean this machine: `SERVICE_ALLOWED_HOSTS`. */
  allowedHosts: readonly string[];
  /** Who a session cookie stands for; left out while there are no sessions. */
  sessionPrincipal?: (c: Context<HttpEnv>) => Promise<Principal | null>;
  /** The proxy in front that signs people in; null while none is configured. */
  identity?: () => IdentityVerifier | null;
};

type Access = AccessPolicy & { proxy: IdentityVerifier | null };

/**
 * Lets a request through or answers 401 or 403, and names the caller for the audit. This machine
 * may do everything; others read (unless reads need a token too) and change things with a token
 * whose scope the path asks for. Webhooks, the trigger, runner routes and static files check their
 * callers themselves.
 */
export function authorize(policy: AccessPolicy): MiddlewareHandler<HttpEnv> {
  return async function authorize(c, next) {
    const access = { ...policy, proxy: policy.identity?.() ?? null };
    const ownCheck = hasOwnAuthorization(c.req.path);
    const principal = ownCheck ? null : await findPrincipal(c, access);
    const local = isLocalRequest(c, access);
    c.set('caller', callerFrom(c, principal?.name ?? (local ? 'local' : 'anonymous')));
    if (!local && !ownCheck) requirePermission(c, access, principal);
    await next();
  };
}

/** What a proxy passed on comes from somebody else's machine, whatever the socket says. */
function isLocalRequest(c: Context<HttpEnv>, { proxy, allowedHosts }: Access): boolean {
  if (proxy !== null && c.req.header(proxy.header) !== undefined) return false;
  const remoteAddress = c.env?.remoteAddress ?? null;
  const { url, headers } = c.req.raw;
  return isLocal({ remoteAddress, url, headers }, allowedHosts);
}

/** A token comes first, then what the proxy says, then the cookie. Throws 401 for a bad proxy. */
async function findPrincipal(c: Context<HttpEnv>, access: Access): Promise<Principal | null> {
  const token = bearerToken(c.req.header('Authorization'));
  const holder = token === null ? null : await access.tokens.verify(token);
  if (holder !== null) return holder;
  const assertion = access.proxy === null ? undefined : c.req.header(access.proxy.header);
  if (access.proxy !== null && assertion !== undefined) return access.proxy.verify(assertion);
  if (token !== null) return null;
  const session = (await access.sessionPrincipal?.(c)) ?? null;
  return session !== null && (await access.tokens.stands(session)) ? session : null;
}

function bearerToken(header: string | undefined): string | null {
  return /^Bearer +(\S+) *$/i.exec(header ?? '')?.[1] ?? null;
}

function requirePermission(
  c: Context<HttpEnv>,
  { tokens, proxy }: Access,
  principal: Principal | null,
): void {
  const isRead = isReadMethod(c.req.method);
  const needs = neededScope(c.req.method, c.req.path);
  if (principal !== null) {
    if (scopeCovers(principal.scope, needs)) return;
    const only = principal.scope === 'read' ? 'only read' : 'not administer';
    throw new AppError('forbidden', `this token may ${only}; "${needs}" is needed here`, {
      reason: 'insufficient_scope',
    });
  }
  if (isRead && proxy === null && !tokens.readsNeedToken()) return;
  if (!isRead && proxy === null && !tokens.writesPossible()) {
    throw new AppError('forbidden', 'remote changes are off until SERVICE_WRITE_TOKEN is set', {
      reason: 'no_write_token',
    });
  }
  const action = isRead ? 'reading' : 'changing things';
  throw new AppError('unauthorized', `${action} from another machine needs a valid bearer token`, {
    headers: { 'WWW-Authenticate': 'Bearer' },
  });
}
