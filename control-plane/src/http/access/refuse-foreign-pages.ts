import { cutText } from '@switchyard/shared/text/cut-text';
import type { MiddlewareHandler } from 'hono';
import { AppError } from '../../errors.ts';
import type { HttpEnv } from '../bindings.ts';
import { isLoopbackAddress, isOwnPage, namesThisHost } from '../caller/is-local.ts';
import { isApiPath, isReadMethod } from '../is-api-path.ts';

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
export function refuseForeignPages(names: HostNames): MiddlewareHandler<HttpEnv> {
  return async function refuseForeignPages(c, next) {
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
      throw new AppError('forbidden', "another site's page may not use this service", {
        reason: 'foreign_page',
      });
    }
    await next();
  };
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
