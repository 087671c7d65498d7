import { AppError } from '../../errors.ts';
import type { ByteBudget } from './byte-budget.ts';

type Bytes = Uint8Array<ArrayBuffer>;
type BodyReader = Pick<ReadableStreamDefaultReader<Bytes>, 'read' | 'cancel'>;

export type BodyRules = {
  maxBytes: number;
  /** Time limit for the whole body, milliseconds. */
  timeoutMs: number;
  /** How much of a refused body is still read, so that its sender sees the response. */
  drain: { maxBytes: number; timeoutMs: number };
  budget: ByteBudget;
  /** The sender for whom the bytes count in the budget. */
  holder: string;
};

const READ_BYTES = 65_536;

/** Cost of a chunk in addition to its bytes, since a body may arrive byte by byte. */
export const CHUNK_COST = 512;

/** Limit for refused senders without a token, whose response is cheap. */
export const SHORT_DRAIN = { maxBytes: 131_072, timeoutMs: 1_000 };

/**
 * Reads a body into memory within the limits of `rules`. `release` returns its bytes to the budget;
 * a refused body holds none. Throws a 413 when it is too large (by its declared length before
 * anything is read), a 408 when it is too slow, a 503 when too many bodies are in memory.
 */
export async function readBody(
  request: Request,
  rules: BodyRules,
): Promise<{ chunks: Bytes[]; release: () => void }> {
  const { body } = request;
  if (body === null) return { chunks: [], release: () => {} };
  const announcedBytes = Number(request.headers.get('content-length') ?? 0);
  const fits =
    announcedBytes > rules.maxBytes || rules.budget.hasRoom(rules.holder, announcedBytes);
  // Checked before any read: discarded bytes use memory for a while as well.
  if (!fits) throw tooMuchAtOnce();
  const reader = body.getReader() as BodyReader;
  const read = announcedBytes > rules.maxBytes ? null : await readWithin(reader, rules);
  if (read !== null) return read;
  await drain(reader, rules.drain);
  throw tooLarge(rules.maxBytes);
}

/** Reads the body; null when it is longer than allowed. */
async function readWithin(reader: BodyReader, rules: BodyRules) {
  const chunks: Bytes[] = [];
  let cost = 0;
  const release = () => rules.budget.give(rules.holder, cost);
  let whole = false;
  try {
    whole = await eachChunk(reader, rules, (chunk) => {
      const price = chunk.byteLength + CHUNK_COST;
      if (!rules.budget.take(rules.holder, price)) throw tooMuchAtOnce();
      cost += price;
      chunks.push(chunk);
    });
    return whole ? { chunks, release } : null;
  } finally {
    if (!whole) release();
  }
}

/**
 * Passes a body to `take` as a stream without storing it. Throws as `readBody` does, and what
 * `take` throws; the rest is then read and discarded within the limits of `drain`.
 */
export async function passBody(
  request: Request,
  rules: Pick<BodyRules, 'maxBytes' | 'timeoutMs' | 'drain'>,
  take: (chunk: Bytes) => void,
): Promise<void> {
  const { body } = request;
  if (body === null) return;
  const isAnnouncedTooLong = Number(request.headers.get('content-length') ?? 0) > rules.maxBytes;
  const reader = body.getReader() as BodyReader;
  try {
    if (!isAnnouncedTooLong && (await eachChunk(reader, rules, take))) return;
    throw tooLarge(rules.maxBytes);
  } catch (error) {
    await drain(reader, rules.drain).catch(() => undefined);
    throw error;
  }
}

/**
 * A body as pieces that are read on demand, so that a slow consumer slows its sender; a piece is
 * valid until the next one. Throws as `readBody` does. The rest of a body that is not read to its
 * end is read and discarded within the limits of `drain`.
 */
export async function* streamBody(
  request: Request,
  rules: Pick<BodyRules, 'maxBytes' | 'timeoutMs' | 'drain'>,
): AsyncGenerator<Bytes> {
  const { body } = request;
  if (body === null) return;
  const reader = reusingReader(body);
  const deadline = endAfter(reader, rules.timeoutMs);
  let bytes = Number(request.headers.get('content-length') ?? 0) > rules.maxBytes ? Infinity : 0;
  let isWhole = false;
  try {
    while (bytes <= rules.maxBytes) {
      const { done, value } = await next(reader);
      if (deadline.isOver()) throw tooSlow(rules.timeoutMs);
      isWhole = done;
      if (done) return;
      bytes += value.byteLength;
      if (bytes <= rules.maxBytes) yield value;
    }
    throw tooLarge(rules.maxBytes);
  } finally {
    deadline.clear();
    if (!isWhole) await drain(reader, rules.drain).catch(() => undefined);
  }
}

/** Reads into one reused buffer, where the platform's stream supports it. */
function reusingReader(body: ReadableStream<Uint8Array>): BodyReader {
  let reader: ReadableStreamBYOBReader;
  try {
    reader = body.getReader({ mode: 'byob' });
  } catch {
    return body.getReader() as BodyReader;
  }
  let buffer = new ArrayBuffer(READ_BYTES);
  return {
    async read() {
      const { done, value } = await reader.read(new Uint8Array(buffer));
      if (done) return { done, value: undefined };
      buffer = value.buffer;
      return { done, value };
    },
    cancel: () => reader.cancel(),
  };
}

/** Passes each chunk to `take`; false when the body is longer than allowed. */
async function eachChunk(
  reader: BodyReader,
  rules: Pick<BodyRules, 'maxBytes' | 'timeoutMs'>,
  take: (chunk: Bytes) => void,
): Promise<boolean> {
  let bytes = 0;
  const deadline = endAfter(reader, rules.timeoutMs);
  try {
    for (;;) {
      const { done, value } = await next(reader);
      if (deadline.isOver()) throw tooSlow(rules.timeoutMs);
      if (done) return true;
      bytes += value.byteLength;
      if (bytes > rules.maxBytes) return false;
      take(value);
    }
  } finally {
    deadline.clear();
  }
}

async function drain(reader: BodyReader, limits: BodyRules['drain']): Promise<void> {
  const deadline = endAfter(reader, limits.timeoutMs);
  try {
    for (let cost = 0; cost < limits.maxBytes;) {
      const { done, value } = await next(reader);
      if (done) return;
      cost += value.byteLength + CHUNK_COST;
    }
  } finally {
    deadline.clear();
  }
}

/** Reads the next chunk. Throws a 400 when the sender has disconnected. */
async function next(reader: BodyReader) {
  try {
    return await reader.read();
  } catch {
    throw new AppError('bad_request', 'the body broke off');
  }
}

/**
 * Cancels the body when the time is over. A race for each chunk would keep all chunks in memory.
 */
function endAfter(reader: BodyReader, timeoutMs: number) {
  let isOver = false;
  const timer = setTimeout(() => {
    isOver = true;
    void reader.cancel().catch(() => undefined);
  }, timeoutMs);
  return { isOver: () => isOver, clear: () => clearTimeout(timer) };
}

function tooLarge(maxBytes: number): AppError {
  return new AppError('too_large', `the body is larger than ${maxBytes} bytes`);
}

function tooSlow(timeoutMs: number): AppError {
  const message = `the body did not come within ${timeoutMs / 1_000} s; send it again`;
  return new AppError('request_timeout', message, { headers: { Connection: 'close' } });
}

/** The error while the memory limit for bodies is reached. */
export function tooMuchAtOnce(): AppError {
  return new AppError('unavailable', 'too many bodies are being read just now; try again', {
    reason: 'bodies_in_flight',
    headers: { 'Retry-After': '2', Connection: 'close' },
  });
}
