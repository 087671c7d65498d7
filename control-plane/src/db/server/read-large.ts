import { DatabaseAway } from '../database-away.ts';
import { base64Decoder } from './base64-decoder.ts';
import { READ_TIMEOUT_MS, type ServerAddress } from './create-server-fetch.ts';
import { freeBytes } from './free-bytes.ts';
import type { BoundStatement } from './group-writer.ts';
import { pipelineRequest } from './pipeline-request.ts';
import { pipelineResult } from './pipeline-result.ts';

const READ_BYTES = 65_536;
/** A response has fewer bytes than this before the requested value. */
const MAX_HEAD_BYTES = 65_536;
const BEFORE_BYTES = new TextEncoder().encode('"base64":"');
const QUOTE = 0x22;

/** The bytes that a statement selects, at most `maxBytes`; null when it selects no row. */
export async function readLarge(
  address: ServerAddress,
  statement: BoundStatement,
  maxBytes: number,
): Promise<Uint8Array<ArrayBuffer> | null> {
  const stop = AbortSignal.timeout(READ_TIMEOUT_MS);
  const { request } = pipelineRequest(address, statement);
  const answer = await fetch(request, { signal: stop }).catch((error: unknown) => {
    throw new DatabaseAway('it cannot be reached', { cause: error });
  });
  const bytes = new Uint8Array(maxBytes);
  const decoder = base64Decoder(bytes);
  const head = new Uint8Array(MAX_HEAD_BYTES);
  let headBytes = 0;
  let isIn: 'head' | 'bytes' | 'tail' = answer.ok ? 'head' : 'tail';
  for await (const chunk of reused(answer.body)) {
    let rest = chunk;
    if (isIn === 'head') {
      const taken = rest.subarray(0, MAX_HEAD_BYTES - headBytes);
      head.set(taken, headBytes);
      const found = indexOf(head.subarray(0, headBytes + taken.byteLength), BEFORE_BYTES);
      const begin = found + BEFORE_BYTES.byteLength - headBytes;
      headBytes += taken.byteLength;
      if (found < 0) continue;
      isIn = 'bytes';
      rest = rest.subarray(begin);
    }
    if (isIn === 'bytes') {
      const end = rest.indexOf(QUOTE);
      decoder.take(end < 0 ? rest : rest.subarray(0, end));
      if (end >= 0) isIn = 'tail';
    }
  }
  if (answer.ok && isIn === 'tail') return bytes.subarray(0, decoder.length());
  if (isIn === 'bytes') throw new Error('the answer broke off');
  freeBytes(bytes);
  const result = pipelineResult(
    answer.status,
    new TextDecoder().decode(head.subarray(0, headBytes)),
  );
  if (result?.rows.length === 0) return null;
  throw new Error('the answer has no bytes');
}

function indexOf(bytes: Uint8Array, found: Uint8Array): number {
  for (let at = bytes.indexOf(found[0] ?? 0); at >= 0; at = bytes.indexOf(found[0] ?? 0, at + 1)) {
    if (found.every((byte, index) => bytes[at + index] === byte)) return at;
  }
  return -1;
}

/** The pieces of a body in a reused buffer; each is valid until the next one is requested. */
async function* reused(body: ReadableStream<Uint8Array> | null): AsyncGenerator<Uint8Array> {
  if (body === null) return;
  const reader = body.getReader({ mode: 'byob' });
  let buffer = new ArrayBuffer(READ_BYTES);
  let isWhole = false;
  try {
    for (;;) {
      const { done, value } = await reader.read(new Uint8Array(buffer));
      isWhole = done;
      if (done) return;
      yield value;
      buffer = value.buffer;
    }
  } finally {
    if (!isWhole) await reader.cancel().catch(() => undefined);
  }
}
