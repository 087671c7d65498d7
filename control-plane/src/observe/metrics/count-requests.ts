import type { MiddlewareHandler } from 'hono';
import type { HttpEnv } from '../../http/bindings.ts';
import type { ErrorTracker, Metrics } from '../../ports/ports.ts';

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/**
 * Middleware that counts every response, including pages and refusals; the duration of a stream
 * ends when it begins.
 */
export function countRequests({
  metrics,
  errors,
}: {
  metrics: Metrics;
  errors: ErrorTracker;
}): MiddlewareHandler<HttpEnv> {
  return async function countRequests(c, next) {
    const startedAtMs = performance.now();
    await next();
    const method = METHODS.has(c.req.method) ? c.req.method : 'OTHER';
    metrics.inc('service_http_requests_total', { method, status: String(c.res.status) });
    errors.note(`${c.req.method} ${c.req.path}`, { status: c.res.status });
    const seconds = (performance.now() - startedAtMs) / 1_000;
    metrics.observe('service_http_request_duration_seconds', { method }, seconds);
  };
}
