import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { collectBody } from './collect-body.ts';
import { requestText } from './request-text.ts';

let server: Server;
let answer: (request: IncomingMessage, response: ServerResponse) => unknown;
beforeEach(async () => {
  server = createServer((request, response) => void answer(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterEach(async () => {
  server.closeAllConnections();
  server.close();
  await once(server, 'close');
});

function ask(more: { method?: string; text?: string; signal?: AbortSignal } = {}) {
  const { method = 'POST', text, signal } = more;
  const { port } = server.address() as AddressInfo;
  const options = { port, host: '127.0.0.1', method, ...(signal === undefined ? {} : { signal }) };
  return requestText(options, { maxBytes: 10, ...(text === undefined ? {} : { text }) });
}

describe('the text that answers a request', () => {
  it('is read with its status, whatever the method of the request', async () => {
    answer = async (request, response) => {
      const { body } = await collectBody(request, 100);
      response.writeHead(201).end(`${request.method} ${body.toString()}`);
    };
    expect(await ask({ text: 'ä' })).toEqual({ status: 201, text: 'POST ä' });
    expect(await ask({ method: 'DELETE', text: 'ä' })).toEqual({ status: 201, text: 'DELETE ä' });
    expect(await ask({ method: 'GET' })).toEqual({ status: 201, text: 'GET ' });
  });

  it('has a limit', async () => {
    answer = (_request, response) => response.end('x'.repeat(10));
    expect(await ask()).toMatchObject({ text: 'x'.repeat(10) });
    // Over a kept connection, which is free again as soon as the response has ended.
    answer = (_request, response) => response.end('x'.repeat(11));
    await expect(ask()).rejects.toThrow('the answer is longer than 10 bytes');
    answer = (_request, response) => response.write('x'.repeat(11));
    await expect(ask()).rejects.toThrow('the answer is longer than 10 bytes');
  });

  it('is missing when it breaks off or the signal aborts', async () => {
    answer = (_request, response) => response.write('x', () => response.destroy());
    await expect(ask()).rejects.toThrow('aborted');
    answer = (_request, response) => response.write('x');
    await expect(ask({ signal: AbortSignal.timeout(50) })).rejects.toThrow('aborted');
  });
});

describe('the body of a request', () => {
  it('is left open when it is too long or the signal aborts', async () => {
    answer = async (request, response) => {
      const { body, isWhole } = await collectBody(request, 5);
      for await (const rest of request) expect(rest).toBeInstanceOf(Buffer);
      response.end(`${body.length > 5} ${isWhole}`);
    };
    expect(await ask({ text: 'x'.repeat(1_000_000) })).toMatchObject({ text: 'true false' });
    answer = (request, response) =>
      collectBody(request, 5, AbortSignal.abort(new Error('late'))).catch((error: Error) =>
        response.end(error.message),
      );
    expect(await ask({ text: 'x' })).toMatchObject({ text: 'late' });
    const gone = new AbortController();
    answer = (request, response) => {
      collectBody(request, 5, gone.signal).catch((error: Error) => response.end(error.message));
      gone.abort(new Error('gone'));
    };
    expect(await ask({ text: 'x' })).toMatchObject({ text: 'gone' });
  });
});
