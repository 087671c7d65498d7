import type { MiddlewareHandler } from 'hono';
import type { HttpEnv } from './bindings.ts';
import { isApiPath } from './request-paths.ts';

/** Pages load nothing from elsewhere and stand in no frame; styles may be set on elements. */
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

/** Headers that keep a browser strict. A handler's own Content-Security-Policy stays. */
export function securityHeaders(): MiddlewareHandler<HttpEnv> {
  return async function securityHeaders(c, next) {
    await next();
    if (c.res.status === 101) return;
    const isPage = !isApiPath(c.req.path) || c.req.path.startsWith('/api/docs');
    if (!c.res.headers.has('Content-Security-Policy')) {
      c.header('Content-Security-Policy', isPage ? PAGE_POLICY : DATA_POLICY);
    }
    c.header('X-Content-Type-Options', 'nosniff');
    c.header('X-Frame-Options', 'DENY');
    c.header('Referrer-Policy', 'no-referrer');
    c.header('Cross-Origin-Opener-Policy', 'same-origin');
    c.header('Cross-Origin-Resource-Policy', 'same-origin');
  };
}
