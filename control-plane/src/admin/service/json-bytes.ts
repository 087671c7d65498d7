import type { Context, TypedResponse } from 'hono';
import type { JSONParsed } from 'hono/utils/types';

type JsonAnswer<T> = Response & TypedResponse<JSONParsed<T>, 200, 'json'>;

/** The answer `c.json` would give for a value that is JSON already, as UTF-8. */
export function jsonBytes<T>(c: Context, bytes: Uint8Array<ArrayBuffer>): JsonAnswer<T> {
  const answer: Response = c.body(bytes, 200, { 'Content-Type': 'application/json' });
  return answer as JsonAnswer<T>;
}
