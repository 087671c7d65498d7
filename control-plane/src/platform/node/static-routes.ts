import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { serveStatic } from '@hono/node-server/serve-static';
import type { OpenAPIHono } from '@hono/zod-openapi';
import type { HttpEnv } from '../../http/bindings.ts';

const API = /^\/(api|webhooks|metrics|healthz|readyz)(\/|$)/;

/** The built dashboard with its single-page fallback; nothing under the API is ever a page. */
export function staticRoutes(app: OpenAPIHono<HttpEnv>, folder: string): void {
  const files = serveStatic({ root: folder });
  app.get('*', async (c, next) => {
    if (API.test(c.req.path)) return next();
    const served = await files(c, async () => {});
    if (served instanceof Response) return served;
    // A missing script must not be answered with a page.
    if (/\.[a-z0-9]+$/i.test(c.req.path)) return next();
    try {
      return c.html(readFileSync(join(folder, 'index.html'), 'utf8'));
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') {
        return c.text(
          'The dashboard is not built: start with `npm start`, which builds it.\n',
          503,
        );
      }
      throw error;
    }
  });
}
