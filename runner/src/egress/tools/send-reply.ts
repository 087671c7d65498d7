import { toJson } from '@switchyard/shared/text/well-formed-json';
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { McpReply } from './read-message.ts';

/** Sends an answer whole, unless one was begun or the client is gone. */
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
    // What is left of a body that was not read would be taken for the next request.
    ...(request.complete ? {} : { connection: 'close' }),
    'content-length': Buffer.byteLength(text),
  });
  response.end(text);
}
