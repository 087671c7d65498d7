import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { serveStatic } from '@hono/node-server/serve-static';
import type { OpenAPIHono } from '@hono/zod-openapi';
import type { HttpEnv } from '../../../http/bindings.ts';

/** Paths of files whose names contain a hash of their content. */
const HASHED = /^\/assets\//;
const API = /^\/(api|webhooks|metrics|healthz|readyz)(\/|$)/;

/**
 * Serves the built dashboard with its single-page fallback; paths of the API never return a page.
 */
export function staticRoutes(app: OpenAPIHono<HttpEnv>, folder: string): void {
  const files = serveStatic({ root: folder, precompressed: true });
  app.get('*', async (c, next) => {
    if (API.test(c.req.path)) return next();
    const served = await files(c, async () => {});
    if (served instanceof Response) {
      const kept = HASHED.test(c.req.path) ? 'public, max-age=31536000, immutable' : 'no-cache';
      served.headers.set('Cache-Control', kept);
      return served;
    }
    // A missing script must not return a page.
    if (/\.[a-z0-9]+$/i.test(c.req.path)) return next();
    try {
      c.header('Cache-Control', 'no-cache');
      return c.html(readFileSync(join(folder, 'index.html'), 'utf8'));
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') {
        return c.text('The dashboard is not built: `npm start` in a checkout builds it.\n', 503);
      }
      throw error;
    }
  });
}
