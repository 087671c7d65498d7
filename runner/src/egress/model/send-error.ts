import { toJson } from '@switchyard/shared/text/well-formed-json';
import type { IncomingMessage, ServerResponse } from 'node:http';

/** How long the rest of a refused body is read before the connection is closed. */
const DRAIN_MS = 2_000;

/**
 * Answers in the error format of the path, so that the engine understands it. A body that is still
 * arriving is read and discarded briefly: closing with unread bytes would lose the response.
 */
export function sendError(
  request: IncomingMessage,
  response: ServerResponse,
  error: { status: number; type: string; message: string },
): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  const body = toJson(bodyOf(request.url ?? '', error));
  response.writeHead(error.status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    connection: 'close',
  });
  response.write(body);
  const timer = setTimeout(() => response.end(), DRAIN_MS);
  response.once('close', () => clearTimeout(timer));
  if (request.complete) response.end();
  else request.once('end', () => response.end()).resume();
}

function bodyOf(
  target: string,
  { status, type, message }: { status: number; type: string; message: string },
): unknown {
  if (target.startsWith('/v1beta/')) return { error: { code: status, message, status: type } };
  const error = { message, type, param: null, code: type };
  return target.startsWith('/v1/messages') ? { type: 'error', error } : { error };
}
