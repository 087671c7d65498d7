import { AppError } from '../errors.ts';
import type { ByteBudget } from './byte-budget.ts';

type Bytes = Uint8Array<ArrayBuffer>;
type BodyReader = ReadableStreamDefaultReader<Bytes>;

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

/** What a refused sender who may be anybody gets: an answer that is small enough to send for nothing. */
export const SHORT_DRAIN = { maxBytes: 262_144, timeoutMs: 1_000 };

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
  const reader = body.getReader() as BodyReader;
  const announcedBytes = Number(request.headers.get('content-length') ?? 0);
  const read = announcedBytes > rules.maxBytes ? null : await readWithin(reader, rules);
  if (read !== null) return read;
  await drain(reader, rules.drain);
  throw new AppError('too_large', `the body is larger than ${rules.maxBytes} bytes`);
}

/** Null for a body that is longer than allowed. */
async function readWithin(reader: BodyReader, rules: BodyRules) {
  const chunks: Bytes[] = [];
  let bytes = 0;
  const release = () => rules.budget.give(rules.holder, bytes);
  const deadline = createDeadline(rules.timeoutMs);
  let whole = false;
  try {
    for (;;) {
      const { done, value } = await deadline.within(reader.read());
      if (done) break;
      if (bytes + value.byteLength > rules.maxBytes) return null;
      if (!rules.budget.take(rules.holder, value.byteLength)) throw tooMuchAtOnce();
      bytes += value.byteLength;
      chunks.push(value);
    }
    whole = true;
    return { chunks, release };
  } finally {
    deadline.clear();
    if (!whole) release();
  }
}

async function drain(reader: BodyReader, limits: BodyRules['drain']): Promise<void> {
  const deadline = createDeadline(limits.timeoutMs);
  try {
    for (let bytes = 0; bytes < limits.maxBytes; ) {
      const { done, value } = await deadline.within(reader.read());
      if (done) return;
      bytes += value.byteLength;
    }
  } catch (error) {
    // Too slow: the answer goes out now.
    if (!(error instanceof AppError)) throw error;
  } finally {
    deadline.clear();
  }
}

function tooMuchAtOnce(): AppError {
  return new AppError('unavailable', 'too many bodies are being read just now; try again', {
    reason: 'bodies_in_flight',
    headers: { 'Retry-After': '2', Connection: 'close' },
  });
}

/** What is waited for within it fails with 408 once it is over. */
function createDeadline(timeoutMs: number) {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const over = new Promise<never>((_resolve, reject) => {
    const words = `the body did not come within ${timeoutMs / 1_000} s; send it again`;
    const error = new AppError('request_timeout', words, { headers: { Connection: 'close' } });
    timer = setTimeout(() => reject(error), timeoutMs);
  });
  return {
    within: <T>(work: Promise<T>): Promise<T> => Promise.race([work, over]),
    clear: () => clearTimeout(timer),
  };
}
