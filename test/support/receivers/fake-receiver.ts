import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export type Received = { path: string; headers: IncomingHttpHeaders; body: string };

/** How the next requests are answered; the last one holds until another is given. */
export type Behaviour =
  | { kind: 'ok' }
  | { kind: 'status'; status: number; body?: string; headers?: Record<string, string> }
  /** Never answers until the receiver is closed or told to behave otherwise. */
  | { kind: 'hang' };

export type FakeReceiver = {
  url: string;
  received: Received[];
  behave(...behaviours: Behaviour[]): void;
  close(): Promise<void>;
};

/** A chat's or anybody's webhook endpoint: real HTTP on loopback that records and misbehaves. */
export async function startFakeReceiver(
  path = '/services/T000/B000/not-a-real-key',
): Promise<FakeReceiver> {
  const received: Received[] = [];
  const hanging = new Set<ServerResponse>();
  let script: Behaviour[] = [{ kind: 'ok' }];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString();
      received.push({ path: request.url ?? '', headers: request.headers, body });
      const behaviour = (script.length > 1 ? script.shift() : script[0]) ?? { kind: 'ok' };
      if (behaviour.kind === 'hang') hanging.add(response);
      else answer(response, behaviour);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}${path}`,
    received,
    behave(...behaviours) {
      script = behaviours;
      if (behaviours[0]?.kind === 'hang') return;
      for (const response of hanging) answer(response, { kind: 'ok' });
      hanging.clear();
    },
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function answer(response: ServerResponse, behaviour: Exclude<Behaviour, { kind: 'hang' }>): void {
  if (behaviour.kind === 'ok') {
    response.writeHead(200, { 'content-type': 'text/plain' }).end('ok');
    return;
  }
  response.writeHead(behaviour.status, behaviour.headers).end(behaviour.body ?? '');
}
