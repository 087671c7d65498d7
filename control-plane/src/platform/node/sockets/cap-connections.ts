import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Limit on all connections; the server closes further ones. */
const MAX_CONNECTIONS = 2_048;
/** Limit on connections from one remote address. */
const MAX_PER_ADDRESS = 512;
/** Requests that a connection may send before the first one is answered. */
const MAX_UNANSWERED = 8;
const LOOPBACK = /^(::1|(::ffff:)?127\.)/;

const unanswered = new WeakMap<Socket, number>();

/**
 * Limits open connections, including runners' sockets, and concurrent requests of each. Behind a
 * proxy all clients share its address, so only the total is limited; loopback addresses have no
 * limit of their own either.
 */
export function capConnections(server: Server, { perAddress }: { perAddress: boolean }): void {
  server.maxConnections = MAX_CONNECTIONS;
  server.prependListener('request', (request: IncomingMessage, answer: ServerResponse) => {
    const { socket } = request;
    const count = (unanswered.get(socket) ?? 0) + 1;
    unanswered.set(socket, count);
    answer.once('close', () => unanswered.set(socket, (unanswered.get(socket) ?? 1) - 1));
    if (count > MAX_UNANSWERED) socket.destroy();
  });
  if (!perAddress) return;
  const open = new Map<string, number>();
  server.on('connection', (socket: Socket) => {
    const address = socket.remoteAddress;
    if (address === undefined || LOOPBACK.test(address)) return;
    const count = (open.get(address) ?? 0) + 1;
    open.set(address, count);
    socket.once('close', () => {
      const left = (open.get(address) ?? 1) - 1;
      if (left > 0) open.set(address, left);
      else open.delete(address);
    });
    if (count > MAX_PER_ADDRESS) socket.destroy();
  });
}
