import type { Context, MiddlewareHandler } from 'hono';
import { etag } from 'hono/etag';
import type { HttpEnv } from './bindings.ts';

/** OpenAPI entry of the answer to a client that has the present version already. */
export const UNCHANGED = { 304: { description: 'Nothing has changed since the given ETag' } };

/**
 * Puts the version of what is asked for on the answer; true when the client has it already and a 304
 * is all it needs. `version` must differ whenever the answer would.
 */
export function isUnchanged(c: Context, version: string): boolean {
  c.header('ETag', `W/"${version}"`);
  c.header('Cache-Control', 'private, no-cache');
  const known = c.req.header('If-None-Match') ?? '';
  return known.split(',').some((tag) => tag.trim().replace(/^W\//, '') === `"${version}"`);
}

/** Tags the JSON answers that say no version of their own by a hash of them. */
export function tagReads(): MiddlewareHandler<HttpEnv> {
  const tag = etag({ weak: true });
  const nothing = () => Promise.resolve();
  return async function tagReads(c, next) {
    await next();
    if (c.req.method !== 'GET' || c.res.status !== 200 || c.res.headers.has('ETag')) return;
    if (!(c.res.headers.get('Content-Type') ?? '').startsWith('application/json')) return;
    c.header('Cache-Control', 'private, no-cache');
    await tag(c, nothing);
  };
}
