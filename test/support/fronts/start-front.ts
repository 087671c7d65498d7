import { createServer as createHttpServer, request } from 'node:http';
import { type AddressInfo, connect, createServer, type Server } from 'node:net';

/** Something between strangers and a service that says nothing of where a request came from. */
export type Front = { port: number; close(): Promise<void> };

/** Passes bytes on, as `socat`, a port mapping or a tunnel does. */
export function startForwarder(targetPort: number): Promise<Front> {
  return listening(
    createServer((client) => {
      const service = connect(targetPort, '127.0.0.1');
      client.pipe(service).pipe(client);
      client.once('error', () => service.destroy());
      service.once('error', () => client.destroy());
    }),
  );
}

/** Passes requests on with a `Host` of its own and no word of the client, as proxies do untold. */
export function startBareProxy(targetPort: number, host?: string): Promise<Front> {
  const named = host ?? `127.0.0.1:${targetPort}`;
  return listening(
    createHttpServer((incoming, outgoing) => {
      const headers = { ...incoming.headers, host: named, connection: 'close' };
      const { method, url: path } = incoming;
      const onward = request(
        { host: '127.0.0.1', port: targetPort, method, path, headers },
        (answer) => {
          outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
          answer.pipe(outgoing);
        },
      );
      onward.once('error', () => outgoing.destroy());
      outgoing.once('close', () => onward.destroy());
      incoming.pipe(onward);
    }),
  );
}

async function listening(server: Server): Promise<Front> {
  const open = new Set<{ destroy(): void }>();
  server.on('connection', (socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of open) socket.destroy();
      }),
  };
}
