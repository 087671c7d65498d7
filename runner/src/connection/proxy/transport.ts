import type { Agent } from 'node:http';

/** A request of the runner. Redirects are refused. */
export type PlainRequest = {
  /** Method; default: GET. */
  method?: 'POST' | 'PUT';
  headers: Readonly<Record<string, string>>;
  body?: string | Uint8Array<ArrayBuffer>;
  signal: AbortSignal;
};

/** How one WebSocket is connected. */
export type SocketConnection = {
  agent?: Agent;
  /**
   * An error of the connection with a message about the proxy; unchanged when the proxy is not the
   * cause.
   */
  explain(error: unknown): unknown;
};

/** How this host reaches its control plane. */
export type Transport = {
  fetch(url: URL, request: PlainRequest): Promise<Response>;
  /** Parameters for one socket; the signal closes it. */
  socketConnection(signal: AbortSignal): SocketConnection;
  /** `host:port` of the proxy, for messages; null without one. */
  proxy: string | null;
};

/** Transport without a proxy. */
export const directTransport: Transport = {
  fetch: (url, request) => fetch(url, { ...request, redirect: 'error' }),
  socketConnection: () => ({ explain: (error) => error }),
  proxy: null,
};
