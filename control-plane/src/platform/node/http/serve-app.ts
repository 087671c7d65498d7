import { createServer, type IncomingMessage, type Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createAdaptorServer, type Http2Bindings } from '@hono/node-server';
import type { HttpBindings as Http1Bindings } from '@hono/node-server';
import type { OpenAPIHono } from '@hono/zod-openapi';
import { WebSocketServer } from 'ws';
import { MAX_FRAME_BYTES } from '@switchyard/shared/protocol/limits';
import type { HttpBindings, HttpEnv } from '../../../http/bindings.ts';
import { capConnections } from '../sockets/cap-connections.ts';
import { boundRest, drainBody } from './drain-body.ts';
import { createUnreadAnswers } from './unread-answers.ts';

/** Limit on the fragments of a message; each uses memory. */
const MAX_FRAGMENTS = 1_024;

const SERVER_OPTIONS = {
  /** Time from the first byte, or from the last response, to the end of the headers. */
  headersTimeout: 15_000,
  /** Time for a whole request; the largest is a blob of 32 MiB over a slow line. */
  requestTimeout: 120_000,
  connectionsCheckingInterval: 5_000,
  keepAliveTimeout: 5_000,
  maxHeaderSize: 16_384,
  // With an upgrade handler, any upgrade other than a runner's socket would stay open for ever.
  shouldUpgradeCallback: ({ url, headers }: IncomingMessage) =>
    headers.upgrade?.toLowerCase() === 'websocket' &&
    /^\/api\/v1\/runners\/connect(\?|$)/.test(url ?? ''),
};

/** Serves the app on an address. Every connection, request and response is limited. */
export async function serveApp(
  app: OpenAPIHono<HttpEnv>,
  { host, port, behindProxy = false }: { host: string; port: number; behindProxy?: boolean },
): Promise<{ port: number; close(): Promise<void> }> {
  const sockets = new WebSocketServer({
    noServer: true,
    maxPayload: MAX_FRAME_BYTES,
    maxFragments: MAX_FRAGMENTS,
  });
  const unread = createUnreadAnswers();
  const server = createAdaptorServer({
    createServer,
    serverOptions: SERVER_OPTIONS,
    fetch: async (request, env) => {
      const bindings = bindingsOf(env);
      const [response, drained] = await Promise.all([
        app.fetch(request, bindings),
        drainBody(env.incoming),
      ]);
      // The request for a socket has no response of its own.
      if (env.outgoing instanceof ServerResponse) {
        unread.begin(env.outgoing);
        boundRest(env.incoming as IncomingMessage, env.outgoing);
      }
      // Part of such a body may stay unread, so the connection cannot be used again.
      if (response.status === 413 || !drained) response.headers.set('Connection', 'close');
      return response;
    },
    websocket: { server: sockets },
  }) as Server;
  // A limit would silently drop further headers, among them a proxy's header with the client's
  // address. Their total size is limited anyway.
  server.maxHeadersCount = 0;
  capConnections(server, { perAddress: !behindProxy });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** The upgrade helper keeps state in this object, so it is extended instead of copied. */
function bindingsOf(env: Http1Bindings | Http2Bindings): HttpBindings {
  return Object.assign(env, {
    remoteAddress: env.incoming.socket.remoteAddress ?? null,
    cut: () => void env.incoming.socket.destroy(),
  });
}
