import type { Context, MiddlewareHandler } from 'hono';
import type { Redactor } from '../../ports/redactor.ts';
import type { HttpEnv } from '../bindings.ts';
import { isRunnerPath } from '../is-api-path.ts';

type Answering = Pick<Redactor, 'json' | 'known' | 'version'>;

declare module 'hono' {
  interface ContextVariableMap {
    /** Set for each request by `redactAnswers`. */
    redactor: Answering | undefined;
    /** The answer need not be read once more. */
    isRedacted: boolean | undefined;
    /** The answer holds a secret on purpose. */
    showsSecret: boolean | undefined;
  }
}

/**
 * Takes the secrets that the service knows out of every answer. Most are written by `sendJson`, which
 * has done so; what others wrote is read here once more. Streams of events see to it themselves, and
 * what runners are answered is sealed to them.
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
    // A response that is replaced while it stands would be rebuilt around a stream.
    c.res = undefined;
    // An empty one was read too; and with a status that has no body, none may be given.
    c.res = new Response(shown === '' ? null : shown, { status, headers: kept });
  };
}

/** JSON of an answer without secrets. */
export function withoutSecrets(c: Context, json: string): string {
  c.set('isRedacted', true);
  if (c.get('showsSecret') === true) return json;
  return c.get('redactor')?.json(json) ?? json;
}

/** The answer that comes is without secrets already. */
export function leaveAnswer(c: Context): void {
  c.set('isRedacted', true);
}

/** The answer that comes shows a secret that was made for who asks. */
export function showSecret(c: Context): void {
  c.set('showsSecret', true);
}
