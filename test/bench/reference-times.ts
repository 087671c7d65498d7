import { createClient } from '@libsql/client';
import WebSocket, { WebSocketServer } from 'ws';

/** Something small that is timed beside what a bench measures, so that a machine's own pace shows. */
export type Reference = {
  /** Milliseconds of one. */
  once(): Promise<number>;
  close(): void;
};

/** One row inserted and committed to the disk, in a database beside a control plane's own. */
export async function openInsertReference(dataDir: string): Promise<Reference> {
  const client = createClient({ url: `file:${dataDir}/reference.db`, concurrency: 1 });
  await client.execute('PRAGMA journal_mode=WAL');
  await client.execute('PRAGMA synchronous=FULL');
  await client.execute('create table reference (id integer primary key, body text)');
  const sql = 'insert into reference (body) values (?)';
  return {
    async once() {
      const startedAtMs = performance.now();
      await client.batch([{ sql, args: ['x'.repeat(400)] }], 'write');
      return performance.now() - startedAtMs;
    },
    close: () => client.close(),
  };
}

/** One message there and back over a socket on this machine. */
export async function openRoundTripReference(): Promise<Reference> {
  const server = new WebSocketServer({ host: '127.0.0.1', port: 0 });
  server.on('connection', (socket) => socket.on('message', (data) => socket.send(data)));
  await new Promise<void>((resolve) => server.once('listening', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const socket = new WebSocket(`ws://127.0.0.1:${port}`);
  const close = () => {
    socket.terminate();
    server.close();
  };
  await new Promise<void>((resolve, reject) => {
    socket.once('open', resolve);
    socket.once('error', reject);
  }).catch((error: unknown) => {
    close();
    throw error;
  });
  return {
    async once() {
      const answered = new Promise<void>((resolve) => socket.once('message', () => resolve()));
      const startedAtMs = performance.now();
      socket.send('x'.repeat(200));
      await answered;
      return performance.now() - startedAtMs;
    },
    close,
  };
}
