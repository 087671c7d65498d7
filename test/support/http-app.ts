import { OpenAPIHono, createRoute, z } from '@hono/zod-openapi';
import { HTTPException } from 'hono/http-exception';
import { AppError } from '../../control-plane/src/errors.ts';
import type { HttpEnv } from '../../control-plane/src/http/bindings.ts';
import { callerOf } from '../../control-plane/src/http/caller/caller.ts';
import { refuseInvalid } from '../../control-plane/src/http/error-handler.ts';
import { installMiddleware } from '../../control-plane/src/http/install-middleware.ts';
import { environmentTokens } from '../../control-plane/src/http/caller/environment-tokens.ts';
import { createTestPorts } from './test-ports.ts';

export const LOCAL = { remoteAddress: '127.0.0.1' };
export const REMOTE = { remoteAddress: '192.0.2.7' };

export type HttpAppOptions = {
  writeToken?: string;
  readToken?: string;
  limit?: number;
  trustedHops?: number;
};

/** A few routes of every kind behind the real middleware. */
export function createHttpApp({
  writeToken = 'w',
  readToken,
  limit = 1_000,
  trustedHops = 0,
}: HttpAppOptions = {}) {
  const ports = createTestPorts();
  const app = new OpenAPIHono<HttpEnv>({ defaultHook: refuseInvalid });
  installMiddleware(app, ports, {
    tokens: environmentTokens({ writeToken, readToken }),
    allowedHosts: [],
    limits: async () => ({
      apiPerMinute: limit,
      webhooksPerMinute: limit * 2,
      runnerFailuresPerMinute: 2,
      streamsPerClient: 2,
      streams: 4,
    }),
    trustedHops,
  });
  addRoutes(app);
  return { app, ports };
}

function addRoutes(app: OpenAPIHono<HttpEnv>): void {
  const ok = { 200: { description: 'ok' } };
  const body = z.strictObject({ name: z.string().min(2), tags: z.array(z.int()).optional() });
  app.openapi(createRoute({ method: 'get', path: '/api/v1/state', responses: ok }), (c) =>
    c.json({}),
  );
  app.openapi(createRoute({ method: 'post', path: '/api/v1/refresh', responses: ok }), (c) =>
    c.json({ caller: callerOf(c) }),
  );
  app.openapi(
    createRoute({
      method: 'post',
      path: '/api/v1/things',
      request: { body: { required: true, content: { 'application/json': { schema: body } } } },
      responses: ok,
    }),
    (c) => c.json(c.req.valid('json')),
  );
  app.openapi(
    createRoute({
      method: 'get',
      path: '/api/v1/{id}',
      request: {
        params: z.object({ id: z.string().regex(/^[A-Z]+-\d+$/) }),
        query: z.object({ limit: z.coerce.number().int().min(1).max(500).default(50) }),
      },
      responses: ok,
    }),
    (c) => c.json({ id: c.req.valid('param').id, limit: c.req.valid('query').limit }),
  );
  app.get('/api/v1/fail/:how', (c) => {
    const how = c.req.param('how');
    if (how === 'app') throw new AppError('unavailable', 'standby', { reason: 'standby' });
    if (how === 'http') throw new HTTPException(400, { message: 'Malformed' });
    throw new Error('secret stack at /srv/app.ts:1');
  });
  app.get('/api/v1/own', () => new Response('x', { headers: { 'X-Request-ID': 'other' } }));
  app.post('/webhooks/tracker', (c) => c.json({}));
  app.post('/api/v1/webhooks/trigger', (c) => c.json({}));
  app.post('/api/v1/runners/join', (c) => c.json({ actor: callerOf(c).actor }));
  app.post('/api/v1/runners/tokens', (c) => c.json({}));
  app.get('/healthz', (c) => c.text('ok'));
  app.get('/page', (c) => c.html('<p>'));
}
