import type { IncomingMessage, ServerResponse } from 'node:http';
import type { StreamEvent } from '@switchyard/shared/api/work/attempt';

/** Everything that ever happened, oldest first. */
export const events: StreamEvent[] = [];
/** Who listens, and to what. */
const streams = new Map<ServerResponse, (event: StreamEvent) => boolean>();

export function emit(type: string, data: Record<string, unknown>, atMs = Date.now()): void {
  const event: StreamEvent = {
    seq: events.length + 1,
    type,
    at: new Date(atMs).toISOString(),
    data,
  };
  events.push(event);
  for (const [stream, wanted] of streams) if (wanted(event)) stream.write(frame(event));
}

const frame = (event: StreamEvent) => `id: ${event.seq}\ndata: ${JSON.stringify(event)}\n\n`;

/** Answers with the stream from `Last-Event-ID` or `after` on. */
export function stream(request: IncomingMessage, response: ServerResponse, url: URL): void {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
  response.write(': hello\n\n');
  const types = url.searchParams.get('types')?.split(',');
  const wanted = (event: StreamEvent) => types === undefined || types.includes(event.type);
  const after = request.headers['last-event-id'] ?? url.searchParams.get('after');
  const last = Number(url.searchParams.get('last') ?? 0);
  const from = typeof after === 'string' ? Number(after) : events.length - last;
  for (const event of events.slice(Math.max(0, from)).filter(wanted)) response.write(frame(event));
  streams.set(response, wanted);
  request.on('close', () => streams.delete(response));
}

/** Breaks every open stream, to see that nothing is lost or shown twice. */
export function dropStreams(): void {
  for (const stream of streams.keys()) stream.destroy();
}
