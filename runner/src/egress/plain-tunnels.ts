import { type IncomingMessage, type Server, type ServerResponse, createServer } from 'node:http';
import type { Duplex } from 'node:stream';
import { type EgressPolicy, judgeTarget } from './policy/egress-policy.ts';

const HEADERS_TIMEOUT_MS = 30_000;
const KEEP_ALIVE_MS = 60_000;
const MAX_HEADER_BYTES = 64 * 1024;

/**
 * Origin of a CONNECT in plain text to a host that gets a secret, which requires requests that the
 * proxy can see; null for any other. Some programs also tunnel traffic without TLS.
 */
export function plainOrigin(policy: EgressPolicy, target: string): string | null {
  const host = /^(\[[^\]]+\]|[^:]+):80$/.exec(target)?.[1];
  if (host === undefined) return null;
  const judged = judgeTarget(policy, { host, port: 80, tunnel: false });
  return typeof judged === 'string' || judged.secrets.length === 0 ? null : `http://${host}`;
}

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

/** Tunnels whose requests are handled here instead of being forwarded. */
export class PlainTunnels {
  readonly #origins = new WeakMap<Duplex, { origin: string; answer: Answer }>();
  readonly #server: Server;

  constructor() {
    this.#server = createServer({ maxHeaderSize: MAX_HEADER_BYTES }, (request, response) => {
      const known = this.#origins.get(request.socket);
      // Only paths are accepted: a request with its own host would be checked for that host.
      if (known === undefined || !request.url?.startsWith('/')) {
        response.writeHead(400, { connection: 'close' }).end();
        return;
      }
      request.url = known.origin + request.url;
      known.answer(request, response);
    });
    this.#server.headersTimeout = HEADERS_TIMEOUT_MS;
    this.#server.keepAliveTimeout = KEEP_ALIVE_MS;
  }

  /** Handles a CONNECT: requests inside it are passed to `answer` like plain proxy requests. */
  take(
    client: Duplex,
    head: Buffer,
    tunnel: { origin: string; answer: Answer; signal: AbortSignal },
  ) {
    const { origin, answer, signal } = tunnel;
    const end = (): void => void client.destroy();
    client.on('error', end);
    signal.addEventListener('abort', end, { once: true });
    client.once('close', () => signal.removeEventListener('abort', end));
    client.write('HTTP/1.1 200 Connection Established\r\n\r\n');
    if (head.length > 0) client.unshift(head);
    this.#origins.set(client, { origin, answer });
    this.#server.emit('connection', client);
  }
}
