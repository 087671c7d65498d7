/** The parts of a request that show where it comes from. */
export type RequestOrigin = {
  /** The socket's peer; null when the runtime does not know it. */
  remoteAddress: string | null;
  /** Full url of the request as the server understood it. */
  url: string;
  headers: Headers;
};

/** Whether an address is in 127.0.0.0/8 or ::1, also in the form of a dual-stack socket. */
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

/** Whether both the url and the `Host` header name this machine; a rebound DNS name does not. */
export function namesThisHost(
  request: Pick<RequestOrigin, 'url' | 'headers'>,
  allowedHosts: readonly string[],
): boolean {
  // Some servers pass on an invalid url, for example after a repeated Host header.
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
