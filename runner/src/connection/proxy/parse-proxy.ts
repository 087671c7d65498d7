import { BadProxy } from './bad-proxy.ts';

/** A proxy with the variable that names it. */
export type Proxy = {
  variable: string;
  /** Url without user and password. */
  url: URL;
  /** `host:port` for messages. */
  host: string;
  /** Value of the Proxy-Authorization header; null: none. */
  authorization: string | null;
};

const DEFAULT_PORTS: Readonly<Record<string, string>> = { 'http:': '80', 'https:': '443' };

/**
 * Parses the value of a variable as git and curl do: without a scheme it is http. Throws BadProxy.
 */
export function parseProxy(variable: string, value: string): Proxy {
  const text = value.includes('://') ? value : `http://${value}`;
  const url = URL.canParse(text) ? new URL(text) : null;
  const defaultPort = DEFAULT_PORTS[url?.protocol ?? ''];
  // With an unescaped / or # a password would end up after the host, so the value is not shown.
  if (
    url === null ||
    defaultPort === undefined ||
    !/^\/?$/.test(url.pathname + url.search + url.hash)
  )
    throw new BadProxy(
      `${variable} names no proxy that a runner can use: write http://HOST:PORT or http://USER:PASSWORD@HOST:PORT, with @ : / # and % percent-encoded in user and password. SOCKS is not supported; list the control plane's host in NO_PROXY to connect without a proxy.`,
    );
  const authorization = basicOf(variable, url);
  url.username = '';
  url.password = '';
  return { variable, url, host: `${url.hostname}:${url.port || defaultPort}`, authorization };
}

function basicOf(variable: string, { username, password }: URL): string | null {
  if (username === '' && password === '') return null;
  try {
    const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
    return `Basic ${Buffer.from(pair).toString('base64')}`;
  } catch {
    throw new BadProxy(
      `${variable} has a user or password that is not percent-encoded: write %25 for %`,
    );
  }
}
