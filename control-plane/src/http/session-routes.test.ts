import { OpenAPIHono } from '@hono/zod-openapi';
import { describe, expect, it } from 'vitest';
import { createTestPorts } from '../../../test/support/test-ports.ts';
import type { HttpEnv } from './bindings.ts';
import { callerOf } from './caller.ts';
import { refuseInvalid } from './error-response.ts';
import { installMiddleware } from './install-middleware.ts';
import { sessionRoutes } from './session-routes.ts';
import { createSessions } from './sessions.ts';
import { environmentTokens } from './tokens.ts';

const REMOTE = { remoteAddress: '192.0.2.7' };
const URL = 'http://board.example/api/v1';

function createApp(secret = 'w\nr') {
  const ports = createTestPorts();
  const tokens = environmentTokens({ writeToken: 'w', readToken: 'r' });
  const sessions = createSessions(ports.clock, secret);
  const app = new OpenAPIHono<HttpEnv>({ defaultHook: refuseInvalid });
  installMiddleware(app, ports, {
    tokens,
    allowedHosts: [],
    limits: async () => ({ apiPerMinute: 100, webhooksPerMinute: 100 }),
    sessionPrincipal: sessions.principal,
  });
  app.openapiRoutes([...sessionRoutes({ tokens, sessions, recordSignIn: async () => {} })]);
  app.get('/api/v1/state', (c) => c.json({ actor: callerOf(c).actor }));
  app.post('/api/v1/refresh', (c) => c.json({ actor: callerOf(c).actor }));
  const signIn = (token: string) =>
    app.request(
      `${URL}/session`,
      {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ token }),
      },
      REMOTE,
    );
  const send = async (method: string, path: string, headers: Record<string, string>) =>
    (await app.request(`${URL}${path}`, { method, headers }, REMOTE)).status;
  return { app, ports, signIn, send };
}

function cookieOf(response: Response): string {
  return response.headers.getSetCookie()[0]?.split(';')[0] ?? '';
}

describe('sessions', () => {
  it('lets a browser in after a token, with a cookie that scripts cannot read', async () => {
    const { signIn, send } = createApp();
    const response = await signIn('w');
    expect(await response.json()).toMatchObject({ actor: 'write-token', scope: 'admin' });
    expect(response.headers.getSetCookie()[0]).toMatch(/HttpOnly; SameSite=Strict/);
    const cookie = cookieOf(response);
    expect(await send('GET', '/state', {})).toBe(401);
    expect(await send('GET', '/state', { cookie })).toBe(200);
    expect(await send('POST', '/refresh', { cookie })).toBe(200);
  });

  it('keeps the scope of the token', async () => {
    const { signIn, send } = createApp();
    const cookie = cookieOf(await signIn('r'));
    expect(await send('GET', '/state', { cookie })).toBe(200);
    expect(await send('POST', '/refresh', { cookie })).toBe(403);
  });

  it('refuses a wrong token, a forged or foreign cookie, and one that is too old', async () => {
    const { signIn, send, ports } = createApp();
    expect((await signIn('nope')).status).toBe(401);
    const cookie = cookieOf(await signIn('w'));
    const foreign = cookieOf(await createApp('other').signIn('w'));
    expect(await send('GET', '/state', { cookie: foreign })).toBe(401);
    expect(await send('GET', '/state', { cookie: cookie.replace('write', 'wrote') })).toBe(401);
    ports.clock.advance(7 * 86_400_000);
    expect(await send('GET', '/state', { cookie })).toBe(401);
  });

  it("does not count on another site's page", async () => {
    const { signIn, send } = createApp();
    const cookie = cookieOf(await signIn('w'));
    expect(await send('POST', '/refresh', { cookie, 'Sec-Fetch-Site': 'same-site' })).toBe(401);
    expect(await send('POST', '/refresh', { cookie, Origin: 'http://board.example:81' })).toBe(401);
    expect(await send('POST', '/refresh', { cookie, Origin: 'http://board.example' })).toBe(200);
  });

  it('signs out', async () => {
    const { app } = createApp();
    const response = await app.request(`${URL}/session`, { method: 'DELETE' }, REMOTE);
    expect(response.status).toBe(204);
    expect(response.headers.getSetCookie()[0]).toContain('Max-Age=0');
  });
});
