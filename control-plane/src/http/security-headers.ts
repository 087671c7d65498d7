import type { MiddlewareHandler } from 'hono';
import type { HttpEnv } from './bindings.ts';
import { isApiPath } from './is-api-path.ts';

/**
 * Policy for pages: they load nothing from elsewhere and cannot be framed. Only scripts may set the
 * styles of elements.
 */
const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ');
const DATA_POLICY = "default-src 'none'; frame-ancestors 'none'";

const HEADERS = {
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
};

/** Sets security headers. A handler's own Content-Security-Policy stays. */
export function securityHeaders(): MiddlewareHandler<HttpEnv> {
  return async function securityHeaders(c, next) {
    const isPage = !isApiPath(c.req.path) || c.req.path.startsWith('/api/docs');
    const headers = { ...HEADERS, 'Content-Security-Policy': isPage ? PAGE_POLICY : DATA_POLICY };
    // Set before the handler: headers added to an existing response rebuild it around a stream.
    for (const [name, value] of Object.entries(headers)) c.header(name, value);
    await next();
    if (c.res.status === 101) return;
    // A handler's own Response may lack them.
    for (const [name, value] of Object.entries(headers)) {
      if (!c.res.headers.has(name)) c.header(name, value);
    }
  };
}
