import type { IncomingMessage, ServerResponse } from 'node:http';

/** How long the rest of a body is read before the connection is closed. */
const DRAIN_MS = 2_000;

/**
 * Ends a response whose head is written. A body that is still arriving is read and discarded briefly
 * first: closing the connection with unread bytes would lose the response.
 */
export function endResponse(
  request: IncomingMessage,
  response: ServerResponse,
  text: string,
): void {
  if (request.complete) {
    response.end(text);
    return;
  }
  response.write(text);
  const timer = setTimeout(() => response.end(), DRAIN_MS);
  response.once('close', () => clearTimeout(timer));
  request.once('end', () => response.end()).resume();
}
