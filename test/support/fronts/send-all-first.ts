import { connect } from 'node:net';

const TIMEOUT_MS = 10_000;

/**
 * Posts a body to a port or socket as simple HTTP clients do, which read nothing before all is sent; resolves with the
 * status. Rejects when the other side stops reading or closes before.
 */
export function sendAllFirst(
  to: number | string,
  { path, headers = {}, body }: { path: string; headers?: Record<string, string>; body: string },
): Promise<number> {
  return new Promise((resolve, reject) => {
    const all = { host: '127.0.0.1', ...headers, 'content-length': String(body.length) };
    const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
    const socket = typeof to === 'number' ? connect(to, '127.0.0.1') : connect(to);
    socket.once('error', reject);
    socket.setTimeout(TIMEOUT_MS, () => socket.destroy(new Error('the body is not read')));
    socket.write(`POST ${path} HTTP/1.1\r\n${lines.join('')}\r\n`);
    socket.write(body, (error) => {
      if (error) return reject(error);
      socket.once('data', (answer: Buffer) => {
        resolve(Number(/^HTTP\/1\.1 (\d+)/.exec(answer.toString('latin1'))?.[1]));
        socket.destroy();
      });
    });
  });
}
