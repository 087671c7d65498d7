import { isLoopbackHost } from '../is-loopback-host.ts';
import { directTransport, type Transport } from './transport.ts';

/** Timeout until the proxy has answered CONNECT. */
const CONNECT_TIMEOUT_MS = 10_000;

/**
 * Chooses the transport to the control plane: through the proxy of `HTTPS_PROXY`, `HTTP_PROXY` or
 * `ALL_PROXY`, unless `NO_PROXY` lists the host. Loopback addresses are never proxied. Throws
 * BadProxy.
 */
export async function chooseTransport(
  controlPlaneUrl: string,
  { connectTimeoutMs = CONNECT_TIMEOUT_MS }: { connectTimeoutMs?: number } = {},
): Promise<Transport> {
  const { protocol, hostname } = new URL(controlPlaneUrl);
  const found = proxyVariable(protocol);
  if (found === null || isLoopbackHost(hostname)) return directTransport;
  // Imported only here, because most machines have no proxy.
  const { proxiedTransport } = await import('./proxied-transport.ts');
  return proxiedTransport(controlPlaneUrl, found, connectTimeoutMs) ?? directTransport;
}

/** The variable in the order of git and curl: lower case first. */
function proxyVariable(protocol: string): { variable: string; value: string } | null {
  const names = [protocol.replace(':', '_proxy'), 'all_proxy'];
  for (const variable of names.flatMap((name) => [name, name.toUpperCase()])) {
    const value = process.env[variable];
    if (value !== undefined && value !== '') return { variable, value };
  }
  return null;
}
