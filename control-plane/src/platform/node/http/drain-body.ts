import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';

type Incoming = Readable & { method?: string | undefined; headers: IncomingHttpHeaders };

/** Of a body that nobody reads so much is taken in, so that its sender gets to see the answer. */
const MAX_DRAINED_BYTES = 1_048_576;
/** Of a chunk beside its bytes: they may come one at a time. */
const CHUNK_COST = 512;
const MAX_DRAIN_MS = 2_000;

/**
 * Reads and throws away the body of a GET or HEAD: without that a client that is still sending
 * finds its connection reset instead of an answer. False when it is larger or slower than the
 * limits (1 MiB, 2 s): the connection is then of no further use.
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

/** What is taken of a refused body once its answer is out. */
const MAX_REST_BYTES = 131_072;

/**
 * Bounds what is read of a body that nobody wanted, after its answer was sent: the server goes on
 * taking it for a moment, so that the sender sees the answer, and then ends the connection.
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
