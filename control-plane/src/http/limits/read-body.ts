import { AppError } from '../../errors.ts';
import type { ByteBudget } from './byte-budget.ts';

type Bytes = Uint8Array<ArrayBuffer>;
type BodyReader = Pick<ReadableStreamDefaultReader<Bytes>, 'read' | 'cancel'>;

export type BodyRules = {
  maxBytes: number;
  /** Over all of the body: who sends more slowly is refused. */
  timeoutMs: number;
  /** Of a refused body this much is still read, so that its sender gets to see the answer. */
  drain: { maxBytes: number; timeoutMs: number };
  budget: ByteBudget;
  /** Under whom its bytes count in the budget. */
  holder: string;
};

const READ_BYTES = 65_536;

/** What a chunk costs beside its bytes: a body may come one byte at a time. */
export const CHUNK_COST = 512;

/** What a refused sender who may be anybody gets: an answer that is small enough to send for nothing. */
export const SHORT_DRAIN = { maxBytes: 131_072, timeoutMs: 1_000 };

/**
 * Reads a body into memory as `rules` allow. `release` gives its bytes back to the budget; a body
 * that was refused holds none. Throws 413 when it is too large (by its own word: before any of it
 * is read), 408 when it is too slow, 503 when too many bodies are in memory already.
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
  // Before anything of it is taken: what is thrown away costs memory too for a while.
  if (!fits) throw tooMuchAtOnce();
  const reader = body.getReader() as BodyReader;
  const read = announcedBytes > rules.maxBytes ? null : await readWithin(reader, rules);
  if (read !== null) return read;
  await drain(reader, rules.drain);
  throw tooLarge(rules.maxBytes);
}

/** Null for a body that is longer than allowed. */
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
 * Gives a body to `take` as it comes and keeps none of it. Throws as `readBody` does, and what `take`
 * throws; the rest is then read and thrown away within the limits of `drain`.
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
 * A body a piece at a time, each read when it is asked for, so that its sender waits for what is done
 * with it; a piece is valid until the next one. Throws as `readBody` does; what is left of a body that is not read to its end is then read
 * and thrown away within the limits of `drain`.
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

/** Reads into the same memory again and again, where the platform's stream can. */
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

/** False for a body that is longer than allowed. */
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

/** A sender who goes away in between has sent no body. */
async function next(reader: BodyReader) {
  try {
    return await reader.read();
  } catch {
    throw new AppError('bad_request', 'the body broke off');
  }
}

/** Ends the body as it is once the time is over. A race at each chunk would keep all of them. */
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
  const words = `the body did not come within ${timeoutMs / 1_000} s; send it again`;
  return new AppError('request_timeout', words, { headers: { Connection: 'close' } });
}

/** What who sends is told while as much as may be is in memory. */
export function tooMuchAtOnce(): AppError {
  return new AppError('unavailable', 'too many bodies are being read just now; try again', {
    reason: 'bodies_in_flight',
    headers: { 'Retry-After': '2', Connection: 'close' },
  });
}
