import { collectBody } from '@switchyard/shared/host/collect-body';
import type { IncomingMessage, ServerResponse } from 'node:http';

/** Far more than any message between runner and proxy: a policy of 500 hosts fits several times. */
const MAX_BODY_BYTES = 1024 * 1024;

/**
 * The JSON body of a request on a socket that only this user can open. Throws for more than 1 MiB.
 */
export async function readJson(request: IncomingMessage): Promise<unknown> {
  const { body, isWhole } = await collectBody(request, MAX_BODY_BYTES);
  if (isWhole) return JSON.parse(body.toString('utf8'));
  // The rest is discarded, since a client may read the response only after it has sent everything.
  request.resume();
  throw new Error('body over 1 MiB');
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
