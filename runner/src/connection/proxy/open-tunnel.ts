import { messageOf } from '@switchyard/shared/message-of';
import type { Agent } from 'node:http';
import { HttpsProxyAgent } from 'https-proxy-agent';
import type { Proxy } from './parse-proxy.ts';
import type { SocketConnection } from './transport.ts';

/** One connection through a proxy. */
type Tunnel = SocketConnection & {
  agent: Agent;
  /** Whether the proxy has connected to the target. */
  isOpen(): boolean;
};

/**
 * An agent for a single connection, which is closed when the signal aborts or the proxy does not
 * answer in time. User and password are sent as a header and not as part of the URL, which the
 * agent prints for DEBUG.
 */
export function openTunnel({
  proxy,
  target,
  signal,
  connectTimeoutMs,
}: {
  proxy: Proxy;
  /** `host:port` of the control plane. */
  target: string;
  signal: AbortSignal;
  connectTimeoutMs: number;
}): Tunnel {
  const silent = new AbortController();
  const timer = setTimeout(() => silent.abort(), connectTimeoutMs);
  timer.unref();
  let status: number | null = null;
  const agent = new HttpsProxyAgent(proxy.url, {
    signal: AbortSignal.any([signal, silent.signal]),
    headers: proxy.authorization === null ? {} : { 'proxy-authorization': proxy.authorization },
  });
  agent.on('proxyConnect', ({ statusCode }: { statusCode: number }) => {
    clearTimeout(timer);
    status = statusCode;
  });
  const explain = (error: unknown): unknown => {
    clearTimeout(timer);
    if (status === 200 || signal.aborted) return error;
    const problem = silent.signal.aborted
      ? `did not answer within ${connectTimeoutMs / 1_000} s: check ${proxy.variable}`
      : status === null
        ? `cannot be used (${wordsOf(error)}): check ${proxy.variable}`
        : refusal(proxy, target, status);
    const host = target.replace(/:\d+$/, '');
    return new Error(`the proxy at ${proxy.host} ${problem}, or list ${host} in NO_PROXY`);
  };
  return { agent, isOpen: () => status === 200, explain };
}

function refusal({ variable, authorization }: Proxy, target: string, status: number): string {
  if (status !== 407) return `does not connect to ${target} (${status}): allow that host there`;
  return authorization === null
    ? `wants a user and a password (407): set ${variable} to http://USER:PASSWORD@HOST:PORT`
    : `does not take the user and password of ${variable} (407): correct them`;
}

/** A message for an error, since that of several failed addresses has only a code. */
function wordsOf(error: unknown): string {
  const { code = 'no answer' } = (error ?? {}) as { code?: string };
  return messageOf(error) || code;
}
