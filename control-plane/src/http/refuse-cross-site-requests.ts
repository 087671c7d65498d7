import { cutText } from '@switchyard/shared/text/cut-text';
import type { MiddlewareHandler } from 'hono';
import { AppError } from '../errors.ts';
import type { HttpEnv } from './bindings.ts';
import { isLoopbackAddress, namesThisHost, type RequestOrigin } from './caller/names-this-host.ts';
import { isApiPath, isReadMethod } from './is-api-path.ts';

const MAX_SHOWN_CHARACTERS = 100;

type HostNames = {
  /** Names that mean this machine beside the loopback ones. */
  allowedHosts: readonly string[];
  /** Names under which others reach the service, as configured now. */
  servedHosts?: () => readonly string[];
};

/**
 * Refuses what pages of other sites send through a browser on this machine, before it counts against
 * any limit: their requests come from a loopback address as ours do. A page whose own name was made
 * to point here (DNS rebinding) is known by `Host`, any other by what the browser says of it. Links to
 * our pages work. Connections from elsewhere are left to the rules for remote callers.
 */
export function refuseCrossSiteRequests(names: HostNames): MiddlewareHandler<HttpEnv> {
  return async function refuseCrossSiteRequests(c, next) {
    if (!isLoopbackPeer(c.env?.remoteAddress ?? null)) return next();
    const request = c.req.raw;
    if (!namesThisHost(request, [...names.allowedHosts, ...(names.servedHosts?.() ?? [])])) {
      const shown = JSON.stringify(cutText(askedHost(request), MAX_SHOWN_CHARACTERS));
      throw new AppError(
        'forbidden',
        `this service does not answer as ${shown}: people on this machine use localhost, and where others reach it SERVICE_PUBLIC_ORIGIN must name the address they use`,
        { reason: 'unknown_host' },
      );
    }
    if (!comesFromOurs(request) && !followsLink(request, c.req.path)) {
      throw crossSite("another site's page may not use this service");
    }
    await next();
  };
}

/** Throws a 403 with `message` where the browser says that another site's page sends the request. */
export function requireOwnPage(request: Request, message: string): void {
  if (!isOwnPage(request)) throw crossSite(message);
}

function crossSite(message: string): AppError {
  return new AppError('forbidden', message, { reason: 'foreign_page' });
}

/** Whether the browser, where it says anything, says that the request comes from our own page. */
export function isOwnPage(request: Pick<RequestOrigin, 'url' | 'headers'>): boolean {
  const site = request.headers.get('sec-fetch-site');
  if (site !== null && site !== 'same-origin' && site !== 'none') return false;
  const origin = request.headers.get('origin');
  const own = new URL(request.url);
  if (origin === null || origin === own.origin) return true;
  // A proxy that speaks TLS for us says so. No page of another site can: that takes its permission.
  return forwardedScheme(request.headers) === 'https' && origin === `https://${own.host}`;
}

/** The scheme that the browser used, as the proxy in front of us says; null where none says. */
export function forwardedScheme(headers: Headers): string | null {
  const [first = ''] = (headers.get('x-forwarded-proto') ?? '').split(',');
  return first.trim() === '' ? null : first.trim().toLowerCase();
}

/**
 * Where the browser itself says that our page asks, a proxy that says neither `https` nor the name it
 * was called by changes nothing of that. What such a page may do is left to `authorize`.
 */
function comesFromOurs(request: Request): boolean {
  return request.headers.get('sec-fetch-site') === 'same-origin' || isOwnPage(request);
}

/** Also the browser beside a Worker that runs on this machine: no caller of a real one has such an address. */
function isLoopbackPeer(address: string | null): boolean {
  return isLoopbackAddress(address?.replace(/^client /, '') ?? null);
}

function askedHost({ url, headers }: Request): string {
  return headers.get('host') ?? new URL(url).host;
}

/**
 * Whether the browser leaves the other site for a page of ours. To the API only because a person
 * clicked: a script could lead a window of its own there without end.
 */
function followsLink({ method, headers }: Request, path: string): boolean {
  return (
    isReadMethod(method) &&
    headers.get('sec-fetch-mode') === 'navigate' &&
    headers.get('sec-fetch-dest') === 'document' &&
    !headers.has('sec-purpose') &&
    (!isApiPath(path) || headers.get('sec-fetch-user') === '?1')
  );
}
