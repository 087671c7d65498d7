import { toJson } from '@switchyard/shared/text/well-formed-json';
import type { Context } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';

const JSON_TYPE = { 'Content-Type': 'application/json' };

/** Answers with a value as JSON that every reader takes, whatever text is in it. */
export function sendJson(c: Context, value: unknown, status: number): Response {
  return c.body(toJson(value), status as ContentfulStatusCode, JSON_TYPE);
}
