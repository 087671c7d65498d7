import { LibsqlError } from '@libsql/client/web';
import { parseLibsqlUrl } from '@libsql/hrana-client';
import { base64Decoder, base64Length, encodeBase64 } from './base64-bytes.ts';
import { READ_TIMEOUT_MS, type ServerAddress } from './create-server-fetch.ts';
import { freeBytes } from './free-bytes.ts';
import type { BoundStatement, KnownOutcome, WriteBatch } from './group-writer.ts';
import type { SqlValue } from './sql-value.ts';

/** From here on a value is worth the trouble. */
const LARGE_BYTES = 65_536;
const READ_BYTES = 65_536;
/** An answer begins with less than this before the bytes that were asked for. */
const MAX_HEAD_BYTES = 65_536;
/** Stands in for the bytes in the text of a request. */
const PLACE = '@bytes@';
const BEFORE_BYTES = new TextEncoder().encode('"base64":"');
const QUOTE = 0x22;

type Asks = (request: Request) => Promise<Response>;
type Answered = {
  type: string;
  error?: { message: string; code?: string };
  response?: { result?: { rows: unknown[]; affected_row_count: number } };
};

/**
 * The statement of a batch that has nothing but it, with one large value of bytes; null for any other.
 * The client of the database makes several texts of such a value, each larger than it.
 */
export function onlyLarge(group: readonly WriteBatch[]): BoundStatement | null {
  const [batch] = group;
  const [statement] = batch ?? [];
  if (group.length !== 1 || batch?.length !== 1 || statement === undefined) return null;
  const bytes = statement.args.filter(isBytes);
  return bytes.length === 1 && (bytes[0]?.byteLength ?? 0) >= LARGE_BYTES ? statement : null;
}

/** Stores it. Throws LibsqlError for what the server refuses. */
export async function storeLarge(
  address: ServerAddress,
  asks: Asks,
  statement: BoundStatement,
): Promise<KnownOutcome> {
  const body = requestBody(statement);
  try {
    const answer = await asks(requestOf(address, body));
    const result = resultOf(answer.status, await answer.text());
    const rowsAffected = result?.affected_row_count ?? 0;
    return { results: [{ columns: [], rows: [], rowsAffected }] };
  } finally {
    freeBytes(body);
  }
}

/** The bytes that a statement selects, at most `maxBytes`; null when it selects no row. */
export async function readLarge(
  address: ServerAddress,
  statement: BoundStatement,
  maxBytes: number,
): Promise<Uint8Array<ArrayBuffer> | null> {
  const stop = AbortSignal.timeout(READ_TIMEOUT_MS);
  const body = requestBody(statement);
  const answer = await fetch(requestOf(address, body), { signal: stop });
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
  const result = resultOf(answer.status, new TextDecoder().decode(head.subarray(0, headBytes)));
  if (result?.rows.length === 0) return null;
  throw new Error('the answer has no bytes');
}

function requestOf({ url, authToken }: ServerAddress, body: Uint8Array<ArrayBuffer>): Request {
  const { hranaHttpUrl } = parseLibsqlUrl(url);
  const base = new URL(hranaHttpUrl ?? url);
  const headers = new Headers({ 'Content-Type': 'application/json' });
  if (authToken !== undefined) headers.set('Authorization', `Bearer ${authToken}`);
  // A request that has bytes as its body keeps them until it is collected; a stream does not.
  const stream = new ReadableStream<Uint8Array<ArrayBuffer>>({
    pull(controller) {
      controller.enqueue(body);
      controller.close();
    },
  });
  const init = { method: 'POST', headers, body: stream, duplex: 'half' };
  return new Request(new URL('v2/pipeline', base), init);
}

/** The request as the server reads it, with the large value written into its place as letters. */
function requestBody({ sql, args }: BoundStatement): Uint8Array<ArrayBuffer> {
  const stmt = { sql, args: args.map(wireValue), want_rows: true };
  const requests = [{ type: 'execute', stmt }, { type: 'close' }];
  const encoder = new TextEncoder();
  const [before = '', after] = JSON.stringify({ requests }).split(`"${PLACE}"`);
  const value = args.find(isBytes);
  if (after === undefined || value === undefined) return new Uint8Array(encoder.encode(before));
  const head = encoder.encode(`${before}"`);
  const tail = encoder.encode(`"${after}`);
  const letters = base64Length(value.byteLength);
  const body = new Uint8Array(head.byteLength + letters + tail.byteLength);
  body.set(head);
  encodeBase64(value, body, head.byteLength);
  body.set(tail, head.byteLength + letters);
  return body;
}

/** Source: the protocol of libSQL servers, Hrana 2, Value. */
function wireValue(value: SqlValue): Record<string, unknown> {
  if (value === null) return { type: 'null' };
  if (typeof value === 'string') return { type: 'text', value };
  if (typeof value === 'bigint') return { type: 'integer', value: String(value) };
  if (typeof value === 'boolean') return { type: 'integer', value: value ? '1' : '0' };
  if (typeof value !== 'number') return { type: 'blob', base64: PLACE };
  // As the client does: what an integer column is given may be any whole number.
  return Number.isInteger(value)
    ? { type: 'integer', value: String(value) }
    : { type: 'float', value };
}

function resultOf(status: number, text: string) {
  if (status !== 200) {
    const cause = Object.assign(new Error(`HTTP ${status}`), { status });
    throw new LibsqlError(`HTTP ${status}`, 'SERVER_ERROR', undefined, undefined, cause);
  }
  const [first] = (JSON.parse(text) as { results: Answered[] }).results;
  if (first?.type === 'ok') return first.response?.result;
  throw new LibsqlError(first?.error?.message ?? 'no result', first?.error?.code ?? 'UNKNOWN');
}

function isBytes(value: SqlValue): value is Uint8Array {
  return value instanceof Uint8Array;
}

function indexOf(bytes: Uint8Array, found: Uint8Array): number {
  for (let at = bytes.indexOf(found[0] ?? 0); at >= 0; at = bytes.indexOf(found[0] ?? 0, at + 1)) {
    if (found.every((byte, index) => bytes[at + index] === byte)) return at;
  }
  return -1;
}

/** The pieces of a body; each is valid until the next one is asked for. */
async function* reused(body: ReadableStream<Uint8Array> | null): AsyncGenerator<Uint8Array> {
  if (body === null) return;
  const reader = body.getReader({ mode: 'byob' });
  let buffer = new ArrayBuffer(READ_BYTES);
  for (;;) {
    const { done, value } = await reader.read(new Uint8Array(buffer));
    if (done) return;
    yield value;
    buffer = value.buffer;
  }
}
