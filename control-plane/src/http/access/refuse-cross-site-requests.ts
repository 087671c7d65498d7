import { cutText } from '@switchyard/shared/text/cut-text';
import type { MiddlewareHandler } from 'hono';
import { AppError } from '../../errors.ts';
import type { HttpEnv } from '../bindings.ts';
import { isOwnPage } from '../caller/is-own-page.ts';
import { isLoopbackAddress, namesThisHost } from '../caller/names-this-host.ts';
import { isApiPath, isReadMethod } from '../is-api-path.ts';

const MAX_SHOWN_CHARACTERS = 100;

type HostNames = {
  /** Host names, besides loopback ones, that mean this machine. */
  allowedHosts: readonly string[];
  /** Names under which others reach the service, by the present configuration. */
  servedHosts?: () => readonly string[];
};

/**
 * Refuses requests that pages of other sites send through a browser on this machine, before any
 * rate limit counts them: they come from a loopback address, too. DNS rebinding is detected by
 * `Host`, other pages by the browser's own headers. Links to this service's pages work. Connections
 * from other machines are checked by the rules for remote callers.
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

/**
 * Whether the browser says that the request comes from this service's page. Then the headers of a
 * proxy do not matter; `authorize` decides what the page may do.
 */
function comesFromOurs(request: Request): boolean {
  return request.headers.get('sec-fetch-site') === 'same-origin' || isOwnPage(request);
}

/**
 * Also true for a browser beside a Worker that runs locally: no caller of a deployed Worker has
 * such an address.
 */
function isLoopbackPeer(address: string | null): boolean {
  return isLoopbackAddress(address?.replace(/^client /, '') ?? null);
}

function askedHost({ url, headers }: Request): string {
  return headers.get('host') ?? new URL(url).host;
}

/**
 * Whether the browser follows a link from another site. For API paths only after a person's click:
 * a script could open such windows endlessly.
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
