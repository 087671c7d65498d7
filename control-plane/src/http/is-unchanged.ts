import type { Context, MiddlewareHandler } from 'hono';
import { versionOf } from '../version-of.ts';
import type { HttpEnv } from './bindings.ts';

/**
 * Puts the version of what is asked for on the answer; true when the client has it already and a 304
 * is all it needs. `version` must differ whenever the answer would.
 */
export function isUnchanged(c: Context, version: string): boolean {
  setHeader(c, 'ETag', `W/"${version}"`);
  setHeader(c, 'Cache-Control', 'private, no-cache');
  const known = c.req.header('If-None-Match') ?? '';
  return known.split(',').some((tag) => tag.trim().replace(/^W\//, '') === `"${version}"`);
}

/** Once there is an answer, `c.header` would build it anew around a stream. */
function setHeader(c: Context, name: string, value: string): void {
  if (c.finalized) c.res.headers.set(name, value);
  else c.header(name, value);
}

/** Tags the JSON answers that say no version of their own by a hash of them. */
export function tagReads(): MiddlewareHandler<HttpEnv> {
  return async function tagReads(c, next) {
    await next();
    const { status, headers } = c.res;
    if (c.req.method !== 'GET' || status !== 200 || headers.has('ETag')) return;
    if (!(headers.get('Content-Type') ?? '').startsWith('application/json')) return;
    if (headers.get('Cache-Control') === 'no-store') return;
    const text = await c.res.text();
    // A response that is replaced while it stands would be rebuilt around a stream.
    c.res = undefined;
    c.res = new Response(text, { headers });
    if (!isUnchanged(c, versionOf(text))) return;
    const kept = new Headers(c.res.headers);
    kept.delete('Content-Type');
    kept.delete('Content-Length');
    c.res = undefined;
    c.res = new Response(null, { status: 304, headers: kept });
  };
}
