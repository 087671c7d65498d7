import { toJson } from '@switchyard/shared/text/well-formed-json';
import type { Context } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { leaveAnswer, withoutSecrets } from './answers/redact-answers.ts';

const JSON_TYPE = { 'Content-Type': 'application/json' };

/** Answers with a value as valid, redacted JSON, whatever text it contains. */
export function sendJson(c: Context, value: unknown, status: number): Response {
  const json = withoutSecrets(c, toJson(value));
  return c.body(json, status as ContentfulStatusCode, JSON_TYPE);
}

/** Answers with JSON in UTF-8 that is already redacted, so that all requests share the bytes. */
export function sendReadyJson(c: Context, bytes: Uint8Array<ArrayBuffer>): Response {
  leaveAnswer(c);
  return c.body(bytes, 200, JSON_TYPE);
}
