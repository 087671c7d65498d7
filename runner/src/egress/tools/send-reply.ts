import { toJson } from '@switchyard/shared/text/well-formed-json';
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { endResponse } from '../end-response.ts';
import type { McpReply } from './read-message.ts';

/** Sends a complete response, unless one has begun or the client has disconnected. */
export function sendReply(
  request: IncomingMessage,
  response: ServerResponse,
  reply: McpReply,
): void {
  if (response.headersSent || response.destroyed) return;
  const text = reply.body === null ? '' : toJson(reply.body);
  response.writeHead(reply.status, {
    ...(reply.body === null ? {} : { 'content-type': 'application/json' }),
    ...(reply.status === 405 ? { allow: 'POST' } : {}),
    ...(reply.beginsSession === true ? { 'mcp-session-id': randomUUID() } : {}),
    // The rest of an unread body would be taken for the next request.
    ...(request.complete ? {} : { connection: 'close' }),
    'content-length': Buffer.byteLength(text),
  });
  endResponse(request, response, text);
}
