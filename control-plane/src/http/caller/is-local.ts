/** What a request says about where it comes from. */
export type RequestOrigin = {
  /** The socket's peer; null when the runtime does not know it. */
  remoteAddress: string | null;
  /** Full address of the request as the server understood it. */
  url: string;
  headers: Headers;
};

/**
 * Whether a request comes from this machine, and from no web page: the peer is a loopback address,
 * nothing forwarded it, `Host` names this machine (or an allowed host), and the browser, where it
 * says anything, says that the page is our own. Everything else is remote.
 */
export function isLocal(request: RequestOrigin, allowedHosts: readonly string[]): boolean {
  return (
    isLoopbackAddress(request.remoteAddress) &&
    !wasForwarded(request.headers) &&
    namesThisHost(request, allowedHosts) &&
    isOwnPage(request)
  );
}

/** 127.0.0.0/8 or ::1; also the former as a dual-stack socket shows it. */
export function isLoopbackAddress(address: string | null): boolean {
  if (address === null) return false;
  const plain = address.toLowerCase().replace(/^::ffff:/, '');
  if (plain === '::1') return true;
  const octets = plain.split('.');
  return (
    octets.length === 4 &&
    octets[0] === '127' &&
    octets.every((octet) => /^\d{1,3}$/.test(octet) && Number(octet) <= 255)
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

/** Both the address and the `Host` header must name this machine: a rebound name does not. */
export function namesThisHost(
  request: Pick<RequestOrigin, 'url' | 'headers'>,
  allowedHosts: readonly string[],
): boolean {
  // Some servers pass on an address that is none, for example of a Host header that came twice.
  if (!URL.canParse(request.url)) return false;
  const hosts = [new URL(request.url).host, request.headers.get('host')];
  return hosts.every((host) => host === null || isThisHost(host, allowedHosts));
}

function isThisHost(host: string, allowedHosts: readonly string[]): boolean {
  if (!/^[\w.:[\]-]+$/.test(host) || !URL.canParse(`http://${host}`)) return false;
  const { hostname } = new URL(`http://${host}`);
  const bare = hostname.replace(/^\[(.*)\]$/, '$1');
  if (bare === 'localhost' || isLoopbackAddress(bare)) return true;
  const named = [hostname, bare, host.toLowerCase()];
  return allowedHosts.some((allowed) => named.includes(allowed.trim().toLowerCase()));
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
