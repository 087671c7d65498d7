import { OpenAPIHono } from '@hono/zod-openapi';
import { describe, expect, it } from 'vitest';
import { createTestPorts } from '../../../../test/support/test-ports.ts';
import { testSessionSecret } from '../../../../test/support/test-session-secret.ts';
import type { HttpEnv } from '../bindings.ts';
import { callerOf } from '../caller/caller.ts';
import { refuseInvalid } from '../error-handler.ts';
import { installMiddleware } from '../install-middleware.ts';
import { createLocalAccess } from '../caller/local-access.ts';
import { sha256Hex } from '../../sha256-hex.ts';
import { sessionRoutes } from './session-routes.ts';
import { createSessions } from '../sessions/sessions.ts';
import { CODE_LIFETIME_MS, createSignInCodes } from '../sessions/sign-in-codes.ts';
import { environmentTokens } from '../caller/environment-tokens.ts';

const REMOTE = { remoteAddress: '192.0.2.7' };
const LOCAL = { remoteAddress: '127.0.0.1' };
const URL = 'http://board.example/api/v1';
const LOCAL_URL = 'http://localhost:4000/api/v1';
const LOCAL_SECRET = 'swl_of-the-test';

function createApp({
  secret = testSessionSecret(),
  writeToken = 'w',
  localSecret = LOCAL_SECRET,
} = {}) {
  const ports = createTestPorts();
  const tokens = environmentTokens({ writeToken, readToken: 'r' });
  const sessions = createSessions(ports.clock, secret);
  const codes = createSignInCodes(ports);
  const local = createLocalAccess({
    readSecret: () => Promise.resolve(localSecret),
    needsSecret: () => true,
  });
  const app = new OpenAPIHono<HttpEnv>({ defaultHook: refuseInvalid });
  installMiddleware(app, ports, {
    tokens,
    local,
    sessions,
    allowedHosts: [],
    servedHosts: () => ['board.example'],
    limits: async () => ({
      apiPerMinute: 1_000,
      webhooksPerMinute: 100,
      runnerFailuresPerMinute: 30,
      streamsPerClient: 9,
      streams: 9,
    }),
  });
  const recordSignIn = async () => {};
  const deps = { tokens, local, sessions, sessionSecret: secret, codes, recordSignIn };
  app.openapiRoutes([...sessionRoutes(deps)]);
  app.get('/api/v1/state', (c) => c.json({ actor: callerOf(c).actor }));
  app.post('/api/v1/refresh', (c) => c.json({ actor: callerOf(c).actor }));
  const begin = (body: object, url = URL, env = REMOTE, headers: Record<string, string> = {}) => {
    const json = { 'Content-Type': 'application/json', ...headers };
    const init = { method: 'POST', headers: json, body: JSON.stringify(body) };
    return app.request(`${url}/session`, init, env);
  };
  const signIn = (token: string) => begin({ token });
  const send = async (
    method: string,
    path: string,
    headers: Record<string, string>,
    { url = URL, env = REMOTE } = {},
  ) => (await app.request(`${url}${path}`, { method, headers }, env)).status;
  return { app, ports, codes, begin, signIn, send };
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
    const foreign = cookieOf(await createApp({ secret: testSessionSecret('other') }).signIn('w'));
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

  it('end with the token that they were begun with, and no other', async () => {
    const secret = testSessionSecret();
    const [writer, reader] = [
      cookieOf(await createApp({ secret }).signIn('w')),
      cookieOf(await createApp({ secret }).signIn('r')),
    ];
    const { send } = createApp({ secret, writeToken: 'another' });
    expect(await send('GET', '/state', { cookie: writer })).toBe(401);
    expect(await send('GET', '/state', { cookie: reader })).toBe(200);
  });

  it('say nothing of a token to somebody who knows the other', async () => {
    const secret = testSessionSecret();
    const [one, other] = [createApp({ secret }), createApp({ secret, writeToken: 'other' })];
    const withoutTime = (response: Response) => decodeURIComponent(cookieOf(response));
    // What the reader holds is the same whatever the write token is.
    expect(withoutTime(await one.signIn('r'))).toBe(withoutTime(await other.signIn('r')));
    expect(withoutTime(await one.signIn('w'))).not.toContain(await sha256Hex('w'));
  });

  it('of an administrator change nothing while remote changes are off', async () => {
    const secret = testSessionSecret();
    const cookie = cookieOf(await createApp({ secret }).signIn('w'));
    const { send } = createApp({ secret, writeToken: '' });
    expect(await send('POST', '/refresh', { cookie })).toBe(403);
  });

  it('all end at once when somebody signs everybody out', async () => {
    const { app, signIn, send } = createApp();
    const cookies = [cookieOf(await signIn('w')), cookieOf(await signIn('r'))];
    const headers = { cookie: cookies[1] ?? '' };
    expect(await send('DELETE', '/sessions', headers)).toBe(403);
    expect(await send('GET', '/state', headers)).toBe(200);
    const response = await app.request(
      `${URL}/sessions`,
      { method: 'DELETE', headers: { cookie: cookies[0] ?? '' } },
      REMOTE,
    );
    expect(response.status).toBe(204);
    expect(response.headers.getSetCookie()[0]).toContain('Max-Age=0');
    for (const cookie of cookies) expect(await send('GET', '/state', { cookie })).toBe(401);
  });

  it('are begun from no page but our own', async () => {
    const { begin } = createApp();
    const foreign: Record<string, string>[] = [
      { Origin: 'https://evil.example' },
      { 'Sec-Fetch-Site': 'cross-site' },
      { 'Sec-Fetch-Site': 'same-site' },
    ];
    for (const headers of foreign) {
      expect((await begin({ token: 'w' }, URL, REMOTE, headers)).status).toBe(403);
    }
    const form = { 'Content-Type': 'text/plain' };
    expect((await begin({ token: 'w' }, URL, REMOTE, form)).status).toBe(415);
  });
});

describe('behind a proxy that speaks TLS', () => {
  const page = { Origin: 'https://board.example', 'Sec-Fetch-Site': 'same-origin' };
  const proxied = { ...page, 'X-Forwarded-Proto': 'https', 'X-Forwarded-For': '198.51.100.7' };

  it("is the service's own page what the proxy says was asked for by https", async () => {
    const { begin, send } = createApp();
    const response = await begin({ token: 'w' }, URL, LOCAL, proxied);
    expect(response.status).toBe(200);
    expect(response.headers.getSetCookie()[0]).toContain('Secure');
    const cookie = cookieOf(response);
    const here = { url: URL, env: LOCAL };
    expect(await send('POST', '/refresh', { cookie, ...proxied }, here)).toBe(200);
    expect(await send('POST', '/refresh', { cookie, ...page }, here)).toBe(401);
    const others = [{ Origin: 'https://evil.example' }, { Origin: 'http://board.example:81' }];
    for (const other of others) {
      expect(await send('POST', '/refresh', { cookie, ...proxied, ...other }, here)).toBe(401);
    }
  });
});

describe('one-time codes', () => {
  const here = { url: LOCAL_URL, env: LOCAL };

  it('sign a browser on this machine in, once', async () => {
    const { codes, begin, send } = createApp();
    const { code } = await codes.make();
    const twice = await Promise.all([
      begin({ code }, LOCAL_URL, LOCAL),
      begin({ code }, LOCAL_URL, LOCAL),
    ]);
    expect(twice.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 401]);
    const response = twice.find(({ status }) => status === 200);
    if (response === undefined) throw new Error('nobody got in');
    expect(await response.json()).toMatchObject({ actor: 'local', scope: 'admin' });
    const cookie = cookieOf(response);
    expect(await send('POST', '/refresh', { cookie }, here)).toBe(200);
    expect((await begin({ code }, LOCAL_URL, LOCAL)).status).toBe(401);
  });

  it('and what they begin are of no use from elsewhere', async () => {
    const { codes, begin, send } = createApp();
    const { code } = await codes.make();
    expect((await begin({ code })).status).toBe(401);
    const proxied = { 'X-Forwarded-For': '192.0.2.7' };
    expect((await begin({ code }, LOCAL_URL, LOCAL, proxied)).status).toBe(401);
    const cookie = cookieOf(await begin({ code }, LOCAL_URL, LOCAL));
    expect(await send('GET', '/state', { cookie }, here)).toBe(200);
    expect(await send('GET', '/state', { cookie })).toBe(401);
    expect(await send('GET', '/state', { cookie, ...proxied }, here)).toBe(401);
  });

  it('die after five minutes and by being too many', async () => {
    const { codes, begin, ports } = createApp();
    const old = await codes.make();
    ports.clock.advance(CODE_LIFETIME_MS);
    expect((await begin({ code: old.code }, LOCAL_URL, LOCAL)).status).toBe(401);
    const first = await codes.make();
    for (let made = 0; made < 20; made += 1) await codes.make();
    expect((await begin({ code: first.code }, LOCAL_URL, LOCAL)).status).toBe(401);
  });

  it('are made by somebody at this machine only', async () => {
    const { send } = createApp();
    const make = (token: string, where = here) =>
      send('POST', '/session/codes', { Authorization: `Bearer ${token}` }, where);
    expect(await make(LOCAL_SECRET)).toBe(201);
    expect(await make(LOCAL_SECRET, { url: URL, env: REMOTE })).toBe(401);
    expect(await make('w')).toBe(403);
    expect(await make('w', { url: URL, env: REMOTE })).toBe(403);
    expect(await make('r')).toBe(403);
    expect(await send('POST', '/session/codes', {}, here)).toBe(401);
  });

  it('begin sessions that end with the local secret', async () => {
    const secret = testSessionSecret();
    const { codes, begin } = createApp({ secret });
    const cookie = cookieOf(await begin({ code: (await codes.make()).code }, LOCAL_URL, LOCAL));
    const { send } = createApp({ secret, localSecret: 'swl_another' });
    expect(await send('GET', '/state', { cookie }, here)).toBe(401);
  });
});

describe('how a caller is seen', () => {
  it.each([
    [{}, { actor: 'anonymous', scope: null }],
    [{ Authorization: 'Bearer r' }, { actor: 'read-token', scope: 'read' }],
    [{ Authorization: 'Bearer w' }, { actor: 'write-token', scope: 'admin' }],
    [{ Authorization: `Bearer ${LOCAL_SECRET}` }, { actor: 'local', scope: 'admin' }],
  ])('is told to everybody: %j', async (headers, seen) => {
    const { app } = createApp();
    const answer = await app.request(`${LOCAL_URL}/session`, { headers }, LOCAL);
    expect(await answer.json()).toEqual({ ...seen, fromLoopback: true, remoteChanges: true });
  });
});
