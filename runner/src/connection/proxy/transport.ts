import type { Agent } from 'node:http';

/** A request as the runner makes them. Redirects are refused. */
export type PlainRequest = {
  /** Default: GET. */
  method?: 'POST' | 'PUT';
  headers: Readonly<Record<string, string>>;
  body?: string | Uint8Array<ArrayBuffer>;
  signal: AbortSignal;
};

/** How one WebSocket is connected. */
export type SocketConnection = {
  agent?: Agent;
  /** An error of the connection in words about the proxy; the error itself where the proxy is not the cause. */
  explain(error: unknown): unknown;
};

/** How this host reaches its control plane. */
export type Transport = {
  fetch(url: URL, request: PlainRequest): Promise<Response>;
  /** For one socket; the signal ends it. */
  socketConnection(signal: AbortSignal): SocketConnection;
  /** `host:port` of the proxy, for people; null without one. */
  proxy: string | null;
};

/** Without a proxy. */
export const directTransport: Transport = {
  fetch: (url, request) => fetch(url, { ...request, redirect: 'error' }),
  socketConnection: () => ({ explain: (error) => error }),
  proxy: null,
};
