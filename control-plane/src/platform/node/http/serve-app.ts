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

/** Pieces that a message may be cut into; each costs memory of its own. */
const MAX_FRAGMENTS = 1_024;

const SERVER_OPTIONS = {
  /** From the first byte, or from the last answer, to the end of the headers. */
  headersTimeout: 15_000,
  /** For a whole request; a blob of 32 MiB over a slow line is the largest. */
  requestTimeout: 120_000,
  connectionsCheckingInterval: 5_000,
  keepAliveTimeout: 5_000,
  maxHeaderSize: 16_384,
  // Left to the upgrade handler, anything but a runner's socket would stay open for ever.
  shouldUpgradeCallback: ({ url, headers }: IncomingMessage) =>
    headers.upgrade?.toLowerCase() === 'websocket' &&
    /^\/api\/v1\/runners\/connect(\?|$)/.test(url ?? ''),
};

/** Serves the app on an address. Every connection, request and answer has limits. */
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
      // The request for a socket has no answer of its own.
      if (env.outgoing instanceof ServerResponse) {
        unread.begin(env.outgoing);
        boundRest(env.incoming as IncomingMessage, env.outgoing);
      }
      // The rest of such a body is never read, so the connection is no use to another request.
      if (response.status === 413 || !drained) response.headers.set('Connection', 'close');
      return response;
    },
    websocket: { server: sockets },
  }) as Server;
  // With a number, headers beyond it were left out: also the one with which a proxy says whom it
  // passes on. Their size is limited anyway.
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

/** The upgrade helper keeps its state in this very object, so it is extended, not copied. */
function bindingsOf(env: Http1Bindings | Http2Bindings): HttpBindings {
  return Object.assign(env, {
    remoteAddress: env.incoming.socket.remoteAddress ?? null,
    cut: () => void env.incoming.socket.destroy(),
  });
}
