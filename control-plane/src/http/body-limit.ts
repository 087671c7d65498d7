import type { MiddlewareHandler } from 'hono';
import { AppError } from '../errors.ts';
import type { Clock } from '../ports.ts';
import type { HttpEnv } from './bindings.ts';
import { isRunnerPath } from './request-paths.ts';

export const MAX_BODY_BYTES = 1_048_576;
/** Of a refused body this much is still read, so that its sender gets to see the answer. */
const MAX_DRAINED_BYTES = 67_108_864;
const MAX_DRAIN_MS = 10_000;

/**
 * Refuses bodies over 1 MiB with 413, chunked ones too. The rest of a refused body is read and
 * thrown away, within limits: who is still sending would otherwise see a broken connection instead
 * of the answer. Runner routes have their own limit.
 */
export function bodyLimit({ clock }: { clock: Clock }): MiddlewareHandler<HttpEnv> {
  return async function bodyLimit(c, next) {
    if (isRunnerPath(c.req.path)) return next();
    const length = Number(c.req.header('content-length') ?? Number.NaN);
    const isChunked = c.req.header('transfer-encoding') !== undefined;
    if (length <= MAX_BODY_BYTES && !isChunked) return next();
    // Looked at last: a platform makes the stream only for those who ask.
    const { body } = c.req.raw;
    if (body === null) return next();
    const reader = body.getReader();
    const chunks = await readUpTo(reader, MAX_BODY_BYTES);
    if (chunks === null) {
      await drain(reader, clock);
      throw new AppError('too_large', `the body is larger than ${MAX_BODY_BYTES} bytes`);
    }
    c.req.raw = new Request(c.req.raw, { method: c.req.method, body: new Blob(chunks) });
    await next();
  };
}

type BodyReader = ReadableStreamDefaultReader<Uint8Array<ArrayBuffer>>;

/** The whole body, or null when it is longer. */
async function readUpTo(
  reader: BodyReader,
  maxBytes: number,
): Promise<Uint8Array<ArrayBuffer>[] | null> {
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let bytes = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return chunks;
    bytes += value.byteLength;
    if (bytes > maxBytes) return null;
    chunks.push(value);
  }
}

async function drain(reader: BodyReader, clock: Clock): Promise<void> {
  const untilMs = clock.nowMs() + MAX_DRAIN_MS;
  let bytes = 0;
  while (bytes < MAX_DRAINED_BYTES && clock.nowMs() < untilMs) {
    const { done, value } = await reader.read();
    if (done) return;
    bytes += value.byteLength;
  }
}
