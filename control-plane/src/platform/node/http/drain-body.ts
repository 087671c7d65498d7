import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';

type Incoming = Readable & { method?: string | undefined; headers: IncomingHttpHeaders };

/** Bytes of an unread body that are still read, so that its sender sees the response. */
const MAX_DRAINED_BYTES = 1_048_576;
/** Cost of a chunk in addition to its bytes, since they may arrive one by one. */
const CHUNK_COST = 512;
const MAX_DRAIN_MS = 2_000;

/**
 * Reads and discards the body of a GET or HEAD: otherwise a client that is still sending sees its
 * connection reset instead of a response. False when the body exceeds the limits (1 MiB, 2 s); the
 * connection cannot be used again then.
 */
export function drainBody(incoming: Incoming): Promise<boolean> {
  const { method, headers } = incoming;
  const isOther = method !== 'GET' && method !== 'HEAD';
  const announced = Number(headers['content-length'] ?? 0) > 0 || 'transfer-encoding' in headers;
  if (isOther || !announced || incoming.readableEnded) return Promise.resolve(true);
  return new Promise((resolve) => {
    let bytes = 0;
    const end = (drained: boolean) => () => {
      clearTimeout(timer);
      incoming.off('data', count).off('end', whole).off('close', broken);
      resolve(drained);
    };
    const whole = end(true);
    const broken = end(false);
    const count = (chunk: Uint8Array) => {
      bytes += chunk.byteLength + CHUNK_COST;
      if (bytes > MAX_DRAINED_BYTES) broken();
    };
    const timer = setTimeout(broken, MAX_DRAIN_MS);
    incoming.on('data', count).once('end', whole).once('close', broken);
  });
}

/** Bytes of a refused body that are read after its response. */
const MAX_REST_BYTES = 131_072;

/**
 * Limits what is read of a refused body after its response: the server continues reading briefly,
 * so that the sender sees the response, and then closes the connection.
 */
export function boundRest(incoming: IncomingMessage, answer: ServerResponse): void {
  answer.once('finish', () => {
    if (incoming.readableEnded || incoming.destroyed) return;
    let cost = 0;
    const count = (chunk: Uint8Array) => {
      cost += chunk.byteLength + CHUNK_COST;
      if (cost <= MAX_REST_BYTES) return;
      incoming.off('data', count);
      incoming.socket.destroy();
    };
    incoming.on('data', count);
  });
}
