import { parseLibsqlUrl } from '@libsql/hrana-client';
import type { ServerAddress } from './create-server-fetch.ts';
import { base64Length, encodeBase64 } from './encode-base64.ts';
import { freeBytes } from './free-bytes.ts';
import type { BoundStatement } from './group-writer.ts';
import type { SqlValue } from './sql-value.ts';

/** Placeholder for the bytes in a request's text. */
const PLACE = '@bytes@';

/**
 * A request for one statement that may have one large value of bytes. `free` releases its memory
 * once it is sent. Source: the protocol of libSQL servers, Hrana 2 over HTTP.
 */
export function pipelineRequest(
  { url, authToken }: ServerAddress,
  statement: BoundStatement,
): { request: Request; free(): void } {
  const body = requestBody(statement);
  const { hranaHttpUrl } = parseLibsqlUrl(url);
  const base = new URL(hranaHttpUrl ?? url);
  const headers = new Headers({ 'Content-Type': 'application/json' });
  if (authToken !== undefined) headers.set('Authorization', `Bearer ${authToken}`);
  // A request with bytes as its body keeps them until garbage collection; a stream does not.
  const stream = new ReadableStream<Uint8Array<ArrayBuffer>>({
    pull(controller) {
      controller.enqueue(body);
      controller.close();
    },
  });
  const init = { method: 'POST', headers, body: stream, duplex: 'half' as const };
  const request = new Request(new URL('v2/pipeline', base), init);
  return { request, free: () => freeBytes(body) };
}

/** The request as the server reads it, with the large value in base64 at its place. */
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
  // Whole numbers are sent as integers, all others as floats.
  return Number.isInteger(value)
    ? { type: 'integer', value: String(value) }
    : { type: 'float', value };
}

export function isBytes(value: SqlValue): value is Uint8Array {
  return value instanceof Uint8Array;
}
