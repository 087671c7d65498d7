import type { IncomingMessage, ServerResponse } from 'node:http';
import type { StreamEvent } from '@switchyard/shared/api/attempt';

/** Everything that ever happened, oldest first. */
export const events: StreamEvent[] = [];
const streams = new Set<ServerResponse>();

export function emit(type: string, data: Record<string, unknown>, atMs = Date.now()): void {
  const event: StreamEvent = {
    seq: events.length + 1,
    type,
    at: new Date(atMs).toISOString(),
    data,
  };
  events.push(event);
  for (const stream of streams) stream.write(frame(event));
}

const frame = (event: StreamEvent) => `id: ${event.seq}\ndata: ${JSON.stringify(event)}\n\n`;

/** Answers with the stream from `Last-Event-ID` or `after` on. */
export function stream(request: IncomingMessage, response: ServerResponse, url: URL): void {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
  response.write(': hello\n\n');
  const after = request.headers['last-event-id'] ?? url.searchParams.get('after');
  if (typeof after === 'string')
    for (const event of events.slice(Number(after))) response.write(frame(event));
  streams.add(response);
  request.on('close', () => streams.delete(response));
}

/** Breaks every open stream, to see that nothing is lost or shown twice. */
export function dropStreams(): void {
  for (const stream of streams) stream.destroy();
}
