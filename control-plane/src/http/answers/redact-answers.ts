import type { Context, MiddlewareHandler } from 'hono';
import type { Redactor } from '../../ports/redactor.ts';
import type { HttpEnv } from '../bindings.ts';
import { isRunnerPath } from '../is-api-path.ts';

type Answering = Pick<Redactor, 'json' | 'known' | 'version'>;

declare module 'hono' {
  interface ContextVariableMap {
    /** Set for each request by `redactAnswers`. */
    redactor: Answering | undefined;
    /** The response need not be redacted again. */
    isRedacted: boolean | undefined;
    /** The response contains a secret on purpose. */
    showsSecret: boolean | undefined;
  }
}

/**
 * Removes known secrets from every response. Most are written by `sendJson`, which has redacted
 * them; others are read again here. Event streams redact themselves, and responses to runners are
 * sealed for them.
 */
export function redactAnswers(redactor: Answering): MiddlewareHandler<HttpEnv> {
  return async function redactAnswers(c, next) {
    c.set('redactor', redactor);
    await next();
    if (c.get('isRedacted') === true || isRunnerPath(c.req.path)) return;
    const { status, headers } = c.res;
    const type = headers.get('Content-Type') ?? '';
    const isJson = type.startsWith('application/json');
    if (!isJson && !type.startsWith('text/plain')) return;
    const text = await c.res.text();
    const shown = isJson ? redactor.json(text) : redactor.known(text);
    const kept = new Headers(headers);
    kept.delete('Content-Length');
    // Cleared first: Hono would otherwise rebuild the new response around a stream.
    c.res = undefined;
    // An empty body was read too; a status without a body must not get one.
    c.res = new Response(shown === '' ? null : shown, { status, headers: kept });
  };
}

/** JSON of a response without secrets, unless `showSecret` marked the response. */
export function withoutSecrets(c: Context, json: string): string {
  c.set('isRedacted', true);
  if (c.get('showsSecret') === true) return json;
  return c.get('redactor')?.json(json) ?? json;
}

/** Marks this request's response as already redacted. */
export function leaveAnswer(c: Context): void {
  c.set('isRedacted', true);
}

/** Marks the next response as showing a secret that was created for the caller. */
export function showSecret(c: Context): void {
  c.set('showsSecret', true);
}
