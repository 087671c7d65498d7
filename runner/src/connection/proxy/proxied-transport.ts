import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';
import { Readable } from 'node:stream';
import { getProxyForUrl } from 'proxy-from-env';
import { openTunnel } from './open-tunnel.ts';
import { parseProxy } from './parse-proxy.ts';
import type { PlainRequest, Transport } from './transport.ts';

/** Statuses of responses without a body. */
const BODILESS: ReadonlySet<number> = new Set([204, 205, 304]);

/** The transport through a proxy; null when `NO_PROXY` excludes the host. Throws BadProxy. */
export function proxiedTransport(
  controlPlaneUrl: string,
  { variable, value }: { variable: string; value: string },
  connectTimeoutMs: number,
): Transport | null {
  if (getProxyForUrl(controlPlaneUrl) === '') return null;
  const proxy = parseProxy(variable, value);
  const { protocol, hostname, port } = new URL(controlPlaneUrl);
  const target = `${hostname}:${port || (protocol === 'https:' ? '443' : '80')}`;
  const tunnel = (signal: AbortSignal) => openTunnel({ proxy, target, signal, connectTimeoutMs });
  return {
    proxy: proxy.host,
    socketConnection: tunnel,
    fetch: async (url, request) => {
      const { agent, isOpen, explain } = tunnel(request.signal);
      try {
        const answer = await send(url, request, agent);
        if (!isOpen()) throw new Error('the proxy answered in place of the control plane');
        return asResponse(answer);
      } catch (error) {
        throw explain(error);
      }
    },
  };
}

function send(
  url: URL,
  { method, headers, body, signal }: PlainRequest,
  agent: http.Agent,
): Promise<IncomingMessage> {
  const { request } = url.protocol === 'https:' ? https : http;
  return new Promise((resolve, reject) => {
    const sent = request(url, { agent, method: method ?? 'GET', headers, signal }, resolve);
    sent.on('error', reject);
    sent.end(body);
  });
}

function asResponse(answer: IncomingMessage): Response {
  const status = answer.statusCode ?? 0;
  if (status >= 300 && status < 400) {
    answer.destroy();
    throw new Error(`the control plane redirects this request (${status})`);
  }
  // Node and the web platform declare the same stream differently.
  const body = Readable.toWeb(answer) as unknown as ConstructorParameters<typeof Response>[0];
  return new Response(BODILESS.has(status) ? null : body, { status });
}
