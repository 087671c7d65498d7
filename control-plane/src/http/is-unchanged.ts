import type { Context, MiddlewareHandler } from 'hono';
import { versionOf } from '../version-of.ts';
import type { HttpEnv } from './bindings.ts';

/**
 * Sets the response's ETag; true when the client already has this version and a 304 is enough.
 * `version` must differ whenever the response would.
 */
export function isUnchanged(c: Context, version: string): boolean {
  setHeader(c, 'ETag', `W/"${version}"`);
  setHeader(c, 'Cache-Control', 'private, no-cache');
  const known = c.req.header('If-None-Match') ?? '';
  return known.split(',').some((tag) => tag.trim().replace(/^W\//, '') === `"${version}"`);
}

/** Sets a header directly: `c.header` would rebuild an existing response around a stream. */
function setHeader(c: Context, name: string, value: string): void {
  if (c.finalized) c.res.headers.set(name, value);
  else c.header(name, value);
}

/** Middleware that sets an ETag by hash on JSON responses without their own version. */
export function tagReads(): MiddlewareHandler<HttpEnv> {
  return async function tagReads(c, next) {
    await next();
    const { status, headers } = c.res;
    if (c.req.method !== 'GET' || status !== 200 || headers.has('ETag')) return;
    if (!(headers.get('Content-Type') ?? '').startsWith('application/json')) return;
    if (headers.get('Cache-Control') === 'no-store') return;
    const text = await c.res.text();
    // Cleared first: Hono would otherwise rebuild the new response around a stream.
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
