import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { sendAllFirst } from '../../../test/support/fronts/send-all-first.ts';
import { closed, listening } from './proxy-server.ts';
import { readJson, sendJson } from './read-json.ts';

it('reads 1 MiB at most, and the sender of more gets the answer', async () => {
  const messages: string[] = [];
  const server = createServer((request, response) => {
    readJson(request).then(
      () => sendJson(response, 200, {}),
      (error: Error) => {
        messages.push(error.message);
        sendJson(response, 400, {});
      },
    );
  });
  await listening(server, { host: '127.0.0.1', port: 0 });
  const { port } = server.address() as AddressInfo;
  const ask = (length: number) =>
    sendAllFirst(port, { path: '/', body: JSON.stringify('x'.repeat(length)) });
  try {
    expect(await ask(1_048_574)).toBe(200);
    expect(await ask(1_048_575)).toBe(400);
    expect(await ask(20_000_000)).toBe(400);
    expect(messages).toEqual(['body over 1 MiB', 'body over 1 MiB']);
  } finally {
    await closed(server);
  }
});
