import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { createAdaptorServer, type HttpBindings } from '@hono/node-server';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { drainBody } from './drain-body.ts';

const BODY = 'x'.repeat(150_000);

/** Sends everything at once and gives what came back until the other side closed. */
function exchange(port: number, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let answer = '';
    const socket = connect(port, '127.0.0.1', () => socket.write(text));
    socket.setTimeout(20_000, () => socket.destroy(new Error('no answer in 20 s')));
    socket.on('data', (chunk: Buffer) => (answer += chunk.toString('latin1')));
    socket.once('end', () => socket.end());
    socket.once('close', (failed) => {
      if (!failed) resolve(answer);
    });
    socket.once('error', reject);
  });
}

describe('drainBody', () => {
  let server: Server;
  let port: number;
  beforeEach(async () => {
    server = createAdaptorServer({
      createServer,
      fetch: async (_request, env) => {
        const { incoming } = env as HttpBindings;
        const drained = await drainBody(incoming);
        return Response.json({ drained }, { headers: drained ? {} : { connection: 'close' } });
      },
    }) as Server;
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    ({ port } = server.address() as AddressInfo);
  });
  afterEach(() => new Promise((resolve) => server.close(resolve)));

  it.each([
    ['with a length', `Content-Length: ${BODY.length}\r\n\r\n${BODY}`],
    [
      'in chunks',
      `Transfer-Encoding: chunked\r\n\r\n${BODY.length.toString(16)}\r\n${BODY}\r\n0\r\n\r\n`,
    ],
  ])('answers a GET with a large body %s, 50 times, without a reset', async (_how, rest) => {
    const head = 'GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n';
    for (let time = 0; time < 50; time += 1) {
      const answer = await exchange(port, head + rest);
      expect(answer).toMatch(/^HTTP\/1\.1 200 /);
      expect(answer).toContain('{"drained":true}');
    }
  });

  it('leaves the connection for the next request', async () => {
    const first = `GET / HTTP/1.1\r\nHost: a\r\nContent-Length: ${BODY.length}\r\n\r\n${BODY}`;
    const second = 'HEAD / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n';
    const answers = (await exchange(port, first + second)).match(/HTTP\/1\.1 200 /g);
    expect(answers).toHaveLength(2);
  });

  it('does not touch the body of other methods', async () => {
    const head = 'POST / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 2\r\n\r\nhi';
    expect(await exchange(port, head)).toContain('{"drained":true}');
  });
});
