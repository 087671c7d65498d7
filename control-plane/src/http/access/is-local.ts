import { isLoopbackAddress, namesThisHost, type RequestOrigin } from '../caller/names-this-host.ts';
import { isOwnPage } from '../caller/is-own-page.ts';

/**
 * Whether a request comes from this machine and from no foreign web page: the peer is a loopback
 * address, nothing forwarded it, `Host` names this machine (or an allowed host), and the browser's
 * headers, if present, name this service's own page. Everything else is remote.
 */
export function isLocal(request: RequestOrigin, allowedHosts: readonly string[]): boolean {
  return (
    isLoopbackAddress(request.remoteAddress) &&
    !wasForwarded(request.headers) &&
    namesThisHost(request, allowedHosts) &&
    isOwnPage(request)
  );
}

function wasForwarded(headers: Headers): boolean {
  return [...headers.keys()].some(
    (name) =>
      name === 'forwarded' ||
      name === 'x-real-ip' ||
      name.startsWith('x-forwarded-') ||
      name.startsWith('cf-'),
  );
}
