import type { Context, MiddlewareHandler } from 'hono';
import type { Caller } from '../caller/caller.ts';
import { AppError } from '../../errors.ts';
import type { HttpEnv } from '../bindings.ts';
import { callerFrom } from '../caller/caller.ts';
import type { IdentityVerifier } from './identity-verifier.ts';
import type { LocalAccess } from '../caller/local-access.ts';
import { isLocal } from './is-local.ts';
import { neededScope, scopeCovers } from './needed-scope.ts';
import { hasOwnAuthorization, isReadMethod, SESSION_PATH } from '../is-api-path.ts';
import type { Sessions } from '../sessions/sessions.ts';
import type { Principal, TokenVerifier } from '../caller/environment-tokens.ts';

export type AccessPolicy = {
  tokens: TokenVerifier;
  /** Host names, besides loopback ones, that mean this machine: `SERVICE_ALLOWED_HOSTS`. */
  allowedHosts: readonly string[];
  /** Whether a loopback connection needs a secret too; left out where it never does. */
  local?: LocalAccess;
  /** Resolves session cookies; left out where there are no sessions. */
  sessions?: Pick<Sessions, 'principal'>;
  /** The verifier of the identity proxy that signs people in; null while none is configured. */
  identity?: () => IdentityVerifier | null;
};

/** How the service classifies a caller. */
export type SeenAs = {
  /** The caller's highest scope; null when not even reads are allowed. */
  scope: Principal['scope'] | null;
  /**
   * The connection comes from this machine, through no known proxy and from no foreign web page.
   */
  fromLoopback: boolean;
  /** Whether any caller may change something from another machine. */
  remoteChanges: boolean;
};

declare module 'hono' {
  interface ContextVariableMap {
    /** Set by `authorize`. */
    seenAs: SeenAs;
  }
}

type Access = AccessPolicy & { proxy: IdentityVerifier | null; fromLoopback: boolean };

/**
 * Admits a request or answers 401 or 403, and names the caller for the audit. A trusted caller on
 * this machine may do everything; others may read (unless reads need a token too) and change things
 * with a token of the required scope. Paths with `hasOwnAuthorization` are always admitted.
 */
export function authorize(policy: AccessPolicy): MiddlewareHandler<HttpEnv> {
  return async function authorize(c, next) {
    const { caller, seenAs } = await judge(c, policy);
    c.set('seenAs', seenAs);
    c.set('caller', caller);
    // For streams that outlive their request: checks the same credentials again.
    c.set('stillMay', async () => {
      const now = await judge(c, policy).catch(asRefusal);
      return now?.caller.actor === caller.actor;
    });
    await next();
  };
}

/** The caller of a request and its classification. Throws a 401 or 403 when it is not allowed. */
async function judge(
  c: Context<HttpEnv>,
  policy: AccessPolicy,
): Promise<{ caller: Caller; seenAs: SeenAs }> {
  const proxy = policy.identity?.() ?? null;
  const access = { ...policy, proxy, fromLoopback: isFromLoopback(c, { ...policy, proxy }) };
  const { method, path } = c.req;
  const ownCheck = hasOwnAuthorization(path);
  const isKnown = !ownCheck || (path === SESSION_PATH && isReadMethod(method));
  const principal = isKnown ? await findPrincipal(c, access) : null;
  const seenAs = seen(access, principal);
  if (!ownCheck) requirePermission(c, seenAs, { access, principal });
  const actor = principal?.name ?? (isTrusted(access) ? 'local' : 'anonymous');
  return { caller: callerFrom(c, actor), seenAs };
}

function asRefusal(error: unknown): null {
  if (error instanceof AppError) return null;
  throw error;
}

/** A request that a proxy forwarded comes from another machine, whatever the socket says. */
function isFromLoopback(
  c: Context<HttpEnv>,
  { proxy, allowedHosts }: Pick<Access, 'proxy' | 'allowedHosts'>,
): boolean {
  if (proxy !== null && c.req.header(proxy.header) !== undefined) return false;
  const remoteAddress = c.env?.remoteAddress ?? null;
  const { url, headers } = c.req.raw;
  return isLocal({ remoteAddress, url, headers }, allowedHosts);
}

/**
 * The caller by token, else by the identity proxy, else by cookie. Throws a 401 for an invalid
 * proxy token.
 */
async function findPrincipal(c: Context<HttpEnv>, access: Access): Promise<Principal | null> {
  const { tokens, local, proxy, fromLoopback } = access;
  const token = bearerToken(c.req.header('Authorization'));
  const holder = token === null ? null : await tokens.verify(token);
  if (holder !== null) return holder;
  if (token !== null && fromLoopback && (await local?.verify(token)) === true) return LOCAL_PERSON;
  const assertion = proxy === null ? undefined : c.req.header(proxy.header);
  if (proxy !== null && assertion !== undefined) return proxy.verify(assertion);
  if (token !== null) return null;
  const session = await access.sessions?.principal(c, (principal) =>
    credentialOf(access, principal),
  );
  return session ?? null;
}

/** The principal of a caller on this machine, proven by the local secret or a code made with it. */
export const LOCAL_PERSON: Principal = { name: 'local', scope: 'admin', local: true };

/**
 * A principal's present credential; null when it has no access any more, or not from this address.
 */
export async function credentialOf(
  { tokens, local, fromLoopback }: Pick<Access, 'tokens' | 'local' | 'fromLoopback'>,
  principal: Principal,
): Promise<string | null> {
  if (principal.local !== true) return tokens.credentialOf(principal);
  return fromLoopback ? ((await local?.secret()) ?? null) : null;
}

function bearerToken(header: string | undefined): string | null {
  return /^Bearer +(\S+) *$/i.exec(header ?? '')?.[1] ?? null;
}

/** Whether whoever is at this machine need not prove it. */
function isTrusted({ fromLoopback, local }: Access): boolean {
  return fromLoopback && local?.needsSecret() !== true;
}

function seen(access: Access, principal: Principal | null): SeenAs {
  const { tokens, proxy, fromLoopback } = access;
  const remoteChanges = tokens.writesPossible() || (proxy !== null && proxy.scope !== 'read');
  const about = { fromLoopback, remoteChanges };
  if (isTrusted(access) || principal?.local === true) return { scope: 'admin', ...about };
  const openReads = proxy === null && !tokens.readsNeedToken();
  if (principal === null) return { scope: openReads ? 'read' : null, ...about };
  return { scope: remoteChanges ? principal.scope : 'read', ...about };
}

function requirePermission(
  c: Context<HttpEnv>,
  { scope, remoteChanges, fromLoopback }: SeenAs,
  { access, principal }: { access: Access; principal: Principal | null },
): void {
  const needs = neededScope(c.req.method, c.req.path);
  if (scope !== null && scopeCovers(scope, needs)) return;
  const isRead = isReadMethod(c.req.method);
  // No token permits changes from other machines here.
  if (!isRead && !remoteChanges && (principal !== null || !fromLoopback)) {
    throw new AppError('forbidden', 'remote changes are off until SERVICE_WRITE_TOKEN is set', {
      reason: 'no_write_token',
    });
  }
  if (principal !== null) {
    const only = principal.scope === 'read' ? 'only read' : 'not administer';
    throw new AppError('forbidden', `this token may ${only}; "${needs}" is needed here`, {
      reason: 'insufficient_scope',
    });
  }
  const action = isRead ? 'reading' : 'changing things';
  throw new AppError('unauthorized', whatIsMissing(action, access), {
    headers: { 'WWW-Authenticate': 'Bearer' },
  });
}

function whatIsMissing(action: string, { fromLoopback }: Access): string {
  if (!fromLoopback) return `${action} from another machine needs a valid bearer token`;
  return `${action} needs a valid bearer token, or at this machine the local secret: "switchyard open" signs a browser in`;
}
