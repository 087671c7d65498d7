import { toJson } from '@switchyard/shared/text/well-formed-json';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { endResponse } from '../end-response.ts';

/** Answers in the error format of the path, so that the engine understands it. */
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
  endResponse(request, response, body);
}

function bodyOf(
  target: string,
  { status, type, message }: { status: number; type: string; message: string },
): unknown {
  if (target.startsWith('/v1beta/')) return { error: { code: status, message, status: type } };
  const error = { message, type, param: null, code: type };
  return target.startsWith('/v1/messages') ? { type: 'error', error } : { error };
}
