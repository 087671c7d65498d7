import { OpenAPIHono, type RouteConfig } from '@hono/zod-openapi';
import { callerFrom } from '../../control-plane/src/http/caller/caller.ts';
import { errorHandler, refuseInvalid } from '../../control-plane/src/http/error-handler.ts';
import type { Logger } from '../../control-plane/src/ports/ports.ts';

export type CallRoute = (
  method: string,
  path: string,
  body?: unknown,
) => Promise<{ status: number; body: unknown; headers: Headers }>;

/** Serves routes alone, with the service's refusals, and answers requests in memory. */
export function createRouteApp(
  logger: Logger,
  routes: readonly { route: RouteConfig; handler: unknown }[],
): CallRoute {
  const app = new OpenAPIHono({ defaultHook: refuseInvalid });
  // Who asks, as the middleware that is left out here would say.
  app.use((c, next) => {
    c.set('caller', callerFrom(c, 'local'));
    return next();
  });
  app.openapiRoutes(routes);
  app.onError(errorHandler(logger));
  return async (method, path, body) => {
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    const headers = { 'Content-Type': 'application/json' };
    const response = await app.request(path, { method, ...sent, headers });
    const json = response.headers.get('Content-Type')?.startsWith('application/json') ?? false;
    const answer: unknown = json ? await response.json() : await response.text();
    return { status: response.status, body: answer, headers: response.headers };
  };
}
