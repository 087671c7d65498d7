import type { IncomingMessage, ServerResponse } from 'node:http';

/** Far more than any message between runner and proxy: a policy of 500 hosts fits several times. */
const MAX_BODY_BYTES = 1024 * 1024;

/**
 * The JSON body of a request on a socket that only this user can open. Throws for more than 1 MiB.
 */
export async function readJson(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MAX_BODY_BYTES) throw new Error('body over 1 MiB');
    chunks.push(chunk);
  }
  return JSON.parse(Buffer.concat(chunks).toString('utf8'));
}

/** Sends a JSON response on such a socket. */
export function sendJson(response: ServerResponse, status: number, body: unknown): void {
  const text = JSON.stringify(body);
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(text),
  });
  response.end(text);
}
