import type { OpenAPIHono } from '@hono/zod-openapi';
import type { HttpEnv } from '../../http/bindings.ts';

const API = /^\/(api|webhooks|metrics|healthz|readyz)(\/|$)/;

/**
 * Serves the built dashboard with its single-page fallback; paths of the API never return a page.
 */
export function assetRoutes(app: OpenAPIHono<HttpEnv>, assets: Fetcher): void {
  app.get('*', async (c, next) => {
    if (API.test(c.req.path)) return next();
    const file = await assets.fetch(c.req.raw);
    if (file.status !== 404) return new Response(file.body, file);
    // A missing script must not return a page.
    if (/\.[a-z0-9]+$/i.test(c.req.path)) return next();
    const page = await assets.fetch(new URL('/', c.req.url));
    return new Response(page.body, page);
  });
}
