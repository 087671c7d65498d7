import { OpenAPIHono, createRoute, z } from '@hono/zod-openapi';
import { HTTPException } from 'hono/http-exception';
import { describe, expect, it } from 'vitest';
import { createTestPorts } from '../../../test/support/test-ports.ts';
import { AppError } from '../errors.ts';
import type { HttpEnv } from './bindings.ts';
import { MAX_BODY_BYTES } from './body-limit.ts';
import { callerOf } from './caller.ts';
import { refuseInvalid } from './error-response.ts';
import { installMiddleware } from './install-middleware.ts';
import { environmentTokens } from './tokens.ts';

const LOCAL = { remoteAddress: '127.0.0.1' };
const REMOTE = { remoteAddress: '192.0.2.7' };
const JSON_HEADERS = { 'Content-Type': 'application/json' };

type Options = { writeToken?: string; readToken?: string; limit?: number; trustedHops?: number };

function createApp({ writeToken = 'w', readToken, limit = 1_000, trustedHops = 0 }: Options = {}) {
  const ports = createTestPorts();
  const app = new OpenAPIHono<HttpEnv>({ defaultHook: refuseInvalid });
  installMiddleware(app, ports, {
    tokens: environmentTokens({ writeToken, readToken }),
    allowedHosts: [],
    limits: async () => ({ apiPerMinute: limit, webhooksPerMinute: limit * 2 }),
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

describe('request id', () => {
  it("keeps a client's visible ASCII and replaces the rest, also on errors", async () => {
    const { app } = createApp();
    const idOf = async (path: string, id?: string) => {
      const headers: Record<string, string> = id === undefined ? {} : { 'X-Request-ID': id };
      return (await app.request(path, { headers }, LOCAL)).headers.get('X-Request-ID');
    };
    expect(await idOf('/api/v1/state', 'a"<b>')).toBe('a"<b>');
    expect(await idOf('/api/v1/own', 'mine')).toBe('mine');
    expect(await idOf('/nowhere', 'mine')).toBe('mine');
    for (const id of [undefined, 'a b', 'x'.repeat(129), 'ä']) {
      expect(await idOf('/api/v1/fail/x', id)).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4/);
    }
  });
});

describe('authorize', () => {
  const post = (
    options: Options,
    path = '/api/v1/refresh',
    headers: Record<string, string> = {},
    env = REMOTE,
    method = 'POST',
  ) => createApp(options).app.request(path, { method, headers }, env);
  const bearer = (token: string) => ({ Authorization: `Bearer ${token}` });

  it('lets this machine do everything without a token', async () => {
    const response = await post({}, '/api/v1/refresh', { 'X-Service-Source': 'wizard' }, LOCAL);
    expect(response.status).toBe(200);
    const { caller } = (await response.json()) as { caller: unknown };
    expect(caller).toMatchObject({ actor: 'local', source: 'wizard', path: '/api/v1/refresh' });
  });

  it('asks others for the write token before they change anything', async () => {
    for (const headers of [{}, bearer('wrong'), { Authorization: 'Basic dzp3' }, bearer('')]) {
      const response = await post({}, undefined, headers);
      expect(response.status).toBe(401);
      expect(response.headers.get('WWW-Authenticate')).toBe('Bearer');
      expect(await response.json()).toMatchObject({ status: 401, code: 'unauthorized' });
    }
    const response = await post({}, undefined, bearer('w'));
    expect(await response.json()).toMatchObject({
      caller: { actor: 'write-token', source: 'API' },
    });
  });

  it('answers 403 to remote changes while there is no write token', async () => {
    expect((await post({ writeToken: '' })).status).toBe(403);
    expect((await post({ writeToken: '' }, undefined, bearer(''))).status).toBe(403);
  });

  it('leaves remote reads open until there is a read token', async () => {
    const read = (options: Options, headers = {}) =>
      post(options, '/api/v1/state', headers, REMOTE, 'GET');
    expect((await read({})).status).toBe(200);
    expect((await read({ readToken: 'r' })).status).toBe(401);
    expect((await read({ readToken: 'r' }, bearer('r'))).status).toBe(200);
    expect((await read({ readToken: 'r' }, bearer('w'))).status).toBe(200);
    expect((await post({ readToken: 'r' }, undefined, bearer('r'))).status).toBe(403);
  });

  it('does not take a web page on this machine for this machine', async () => {
    const headers = { Origin: 'https://evil.example' };
    expect((await post({}, undefined, headers, LOCAL)).status).toBe(401);
  });

  it('leaves webhooks, the trigger, runner routes and static files to their own checks', async () => {
    const paths = ['/webhooks/tracker', '/api/v1/webhooks/trigger', '/api/v1/runners/join'];
    for (const path of paths) expect((await post({ readToken: 'r' }, path)).status).toBe(200);
    for (const path of ['/healthz', '/page']) {
      expect((await post({ readToken: 'r' }, path, {}, REMOTE, 'GET')).status).toBe(200);
    }
    expect((await post({}, '/api/v1/runners/tokens')).status).toBe(401);
    expect((await post({}, '/api/v1/webhooks/dead')).status).toBe(401);
  });
});

describe('rate limit', () => {
  it('answers 429 over the limit and lets go when the minute is over', async () => {
    const { app, ports } = createApp({ limit: 3 });
    const get = (path = '/api/v1/state', env = LOCAL) => app.request(path, {}, env);
    const first = await get();
    expect(first.headers.get('RateLimit-Limit')).toBe('3');
    expect(first.headers.get('RateLimit-Remaining')).toBe('2');
    ports.clock.advance(20_000);
    await get();
    await get();
    const refused = await get();
    expect(refused.status).toBe(429);
    expect(refused.headers.get('Retry-After')).toBe('40');
    expect(refused.headers.get('RateLimit-Remaining')).toBe('0');
    expect(await refused.json()).toMatchObject({ status: 429, code: 'rate_limited' });
    expect((await get('/api/v1/state', REMOTE)).status).toBe(200);
    expect((await get('/page')).status).toBe(200);
    ports.clock.advance(40_000);
    expect((await get()).status).toBe(200);
  });

  it('counts deliveries apart, and runner routes not at all', async () => {
    const { app } = createApp({ limit: 1 });
    const post = async (path: string) =>
      (await app.request(path, { method: 'POST' }, LOCAL)).status;
    expect([await post('/api/v1/refresh'), await post('/api/v1/refresh')]).toEqual([200, 429]);
    expect([await post('/webhooks/tracker'), await post('/webhooks/tracker')]).toEqual([200, 200]);
    expect(await post('/webhooks/tracker')).toBe(429);
    expect(await post('/api/v1/runners/join')).toBe(200);
  });

  it('believes X-Forwarded-For only as far as our own proxies go', async () => {
    const status = async (trustedHops: number, chains: string[]) => {
      const { app } = createApp({ limit: 1, trustedHops });
      const answers: number[] = [];
      for (const chain of chains) {
        const headers = { 'X-Forwarded-For': chain };
        answers.push((await app.request('/api/v1/state', { headers }, REMOTE)).status);
      }
      return answers;
    };
    expect(await status(0, ['198.51.100.1', '198.51.100.2'])).toEqual([200, 429]);
    expect(await status(1, ['198.51.100.1', '198.51.100.2'])).toEqual([200, 200]);
    expect(await status(1, ['fake1, 198.51.100.1', 'fake2, 198.51.100.1'])).toEqual([200, 429]);
  });
});

describe('bodies', () => {
  const send = (body: BodyInit, headers: Record<string, string> = JSON_HEADERS) =>
    createApp().app.request(
      '/api/v1/things',
      { method: 'POST', body, headers, duplex: 'half' } as RequestInit,
      LOCAL,
    );

  it('accepts what the schema describes', async () => {
    const response = await send('{"name":"ab"}', {
      'Content-Type': 'application/json; charset=utf-8',
    });
    expect([response.status, await response.json()]).toEqual([200, { name: 'ab' }]);
  });

  it.each([
    ['{', 'bad_request', undefined],
    ['', 'bad_request', undefined],
    ['{"name":"a"}', 'invalid_input', [{ path: 'name', message: expect.any(String) }]],
    [
      '{"name":"ab","tags":[1,"x"]}',
      'invalid_input',
      [{ path: 'tags.1', message: expect.any(String) }],
    ],
    [
      '{"name":"ab","extra":1}',
      'invalid_input',
      [{ path: '', message: expect.stringContaining('extra') }],
    ],
    ['[]', 'invalid_input', [{ path: '', message: expect.any(String) }]],
  ])('answers 400 to %j', async (body, code, details) => {
    const response = await send(body);
    expect(response.status).toBe(400);
    const answer = (await response.json()) as Record<string, unknown>;
    expect(answer).toMatchObject({ error: expect.any(String), status: 400, code });
    expect(answer['details']).toEqual(details);
    expect(answer['requestId']).toBe(response.headers.get('X-Request-ID'));
  });

  it('answers 415 to anything but JSON', async () => {
    expect(
      (await send('name=ab', { 'Content-Type': 'application/x-www-form-urlencoded' })).status,
    ).toBe(415);
    expect((await send('{"name":"ab"}', { 'Content-Type': 'text/plain' })).status).toBe(415);
    expect(
      (await send('{"name":"ab"}', { 'Content-Type': 'text/plain+application/json' })).status,
    ).toBe(415);
    expect((await send(new Blob(['{"name":"ab"}']), {})).status).toBe(415);
  });

  it('answers 413 over 1 MiB, whether the length is told or not', async () => {
    const big = JSON.stringify({ name: 'x'.repeat(MAX_BODY_BYTES) });
    const told = await send(big, { ...JSON_HEADERS, 'Content-Length': String(big.length) });
    expect(told.status).toBe(413);
    const untold = await send(new Blob([big]).stream());
    expect(untold.status).toBe(413);
    expect(await untold.json()).toMatchObject({ status: 413, code: 'too_large' });
  });
});

describe('errors', () => {
  const answer = async (path: string, method = 'GET') => {
    const { app, ports } = createApp();
    const response = await app.request(path, { method }, LOCAL);
    const body = (await response.json()) as Record<string, unknown>;
    return { status: response.status, body, headers: response.headers, ports };
  };

  it('answers expected failures with their status and word', async () => {
    const { status, body } = await answer('/api/v1/fail/app');
    expect([status, body]).toMatchObject([503, { error: 'standby', status: 503, code: 'standby' }]);
    expect((await answer('/api/v1/fail/http')).body).toMatchObject({
      error: 'Malformed',
      status: 400,
    });
  });

  it('says nothing about unexpected failures, and logs them', async () => {
    const { status, body, ports } = await answer('/api/v1/fail/other');
    expect(status).toBe(500);
    expect(body).toEqual({
      error: 'internal error',
      status: 500,
      code: 'internal',
      requestId: expect.any(String),
    });
    expect(ports.complaints).toHaveLength(1);
  });

  it('answers 400 to a bad query and 404 to a parameter that can name nothing', async () => {
    for (const limit of ['0', '501', '1.5', 'x', '']) {
      const { status, body } = await answer(`/api/v1/AB-1?limit=${limit}`);
      expect([limit, status, body]).toMatchObject([
        limit,
        400,
        { details: [{ path: 'query.limit' }] },
      ]);
    }
    const { status, body } = await answer('/api/v1/nonsense');
    expect([status, body]).toMatchObject([404, { error: '"nonsense" not found' }]);
  });

  it('answers JSON 404 to unknown paths', async () => {
    for (const path of [
      '/api',
      '/api/v2/x',
      '/api/v1/AB-1/none',
      '/webhooks/none',
      '/metrics',
      '/x',
    ]) {
      expect(await answer(path)).toMatchObject({
        status: 404,
        body: { status: 404, code: 'not_found' },
      });
    }
  });

  it('answers 405 with Allow to a known path, the most specific route deciding', async () => {
    const cases = [
      ['POST', '/api/v1/state', 'GET, HEAD, OPTIONS'],
      ['GET', '/api/v1/refresh', 'POST, OPTIONS'],
      ['DELETE', '/api/v1/AB-1', 'GET, HEAD, OPTIONS'],
      ['GET', '/webhooks/tracker', 'POST, OPTIONS'],
      ['PUT', '/api/v1/things', 'POST, OPTIONS'],
    ] as const;
    for (const [method, path, allow] of cases) {
      const { status, body, headers } = await answer(path, method);
      expect([path, status, body]).toMatchObject([path, 405, { code: 'method_not_allowed' }]);
      expect(headers.get('Allow')).toBe(allow);
    }
  });

  it('answers HEAD and OPTIONS where GET is known', async () => {
    const { app } = createApp();
    expect((await app.request('/api/v1/state', { method: 'HEAD' }, LOCAL)).status).toBe(200);
    const options = await app.request('/api/v1/state', { method: 'OPTIONS' }, REMOTE);
    expect([options.status, options.headers.get('Allow')]).toEqual([204, 'GET, HEAD, OPTIONS']);
  });
});

describe('security headers', () => {
  it('are on every answer', async () => {
    const { app } = createApp();
    for (const path of ['/page', '/api/v1/state', '/api/v1/fail/x', '/none']) {
      const { headers } = await app.request(path, {}, LOCAL);
      expect(headers.get('X-Content-Type-Options')).toBe('nosniff');
      expect(headers.get('Referrer-Policy')).toBe('no-referrer');
      expect(headers.get('Content-Security-Policy')).toContain("frame-ancestors 'none'");
      expect(headers.get('Content-Security-Policy')).not.toContain('unsafe');
    }
  });
});
