import type { Context, TypedResponse } from 'hono';
import type { JSONParsed } from 'hono/utils/types';

type JsonAnswer<T> = Response & TypedResponse<JSONParsed<T>, 200, 'json'>;

/** The answer `c.json` would give for a value that is JSON text already. */
export function jsonText<T>(c: Context, text: string): JsonAnswer<T> {
  const answer: Response = c.body(text, 200, { 'Content-Type': 'application/json' });
  return answer as JsonAnswer<T>;
}
