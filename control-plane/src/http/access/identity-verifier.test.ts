import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { OpenAPIHono } from '@hono/zod-openapi';
import { SignJWT, exportJWK, generateKeyPair } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestPorts } from '../../../../test/support/test-ports.ts';
import { IdentityProxy } from './identity-proxy.ts';
import type { HttpEnv } from '../bindings.ts';
import { callerOf } from '../caller/caller.ts';
import { currentIdentity, identityFromEnvironment } from './current-identity.ts';
import { installMiddleware } from '../install-middleware.ts';
import { environmentTokens } from '../caller/environment-tokens.ts';

const REMOTE = { remoteAddress: '192.0.2.7' };
const LOCAL = { remoteAddress: '127.0.0.1' };

describe('an identity proxy in front', () => {
  let server: Server;
  let jwksUrl: string;
  let fetches = 0;
  let isDown = false;
  let keys: Awaited<ReturnType<typeof generateKeyPair>>;

  beforeAll(async () => {
    keys = await generateKeyPair('ES256');
    const jwk = { ...(await exportJWK(keys.publicKey)), kid: 'k1', alg: 'ES256' };
    server = createServer((_request, response) => {
      fetches += 1;
      response.statusCode = isDown ? 500 : 200;
      response.end(JSON.stringify({ keys: [jwk] }));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    jwksUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/keys`;
  });
  afterAll(() => new Promise((resolve) => server.close(resolve)));

  function createApp(settings: Partial<IdentityProxy> = {}) {
    const ports = createTestPorts();
    const proxy = IdentityProxy.parse({
      issuer: 'https://team.example',
      audience: 'board',
      jwksUrl,
      header: 'X-Identity',
      ...settings,
    });
    const app = new OpenAPIHono<HttpEnv>();
    installMiddleware(app, ports, {
      tokens: environmentTokens({ writeToken: 'w', readToken: undefined }),
      allowedHosts: [],
      limits: async () => ({
        apiPerMinute: 1_000,
        webhooksPerMinute: 1_000,
        runnerFailuresPerMinute: 30,
        streamsPerClient: 9,
        streams: 9,
      }),
      identity: currentIdentity(ports, proxy, () => undefined),
    });
    app.get('/api/v1/state', (c) => c.json({ actor: callerOf(c).actor }));
    app.post('/api/v1/refresh', (c) => c.json({ actor: callerOf(c).actor }));
    app.get('/page', (c) => c.text('page'));
    const call = async (
      token: string | null,
      { path = '/api/v1/refresh', method = 'POST', env = REMOTE, headers = {} } = {},
    ) => {
      const identity: Record<string, string> = token === null ? {} : { 'X-Identity': token };
      const init = { method, headers: { ...identity, ...headers } };
      const response = await app.request(path, init, env);
      const text = await response.text();
      return { status: response.status, text };
    };
    return { ports, call };
  }

  function sign(claims: Record<string, unknown> = {}, alter = (jwt: SignJWT) => jwt) {
    const nowSeconds = Date.parse('2026-01-02T03:04:05.000Z') / 1_000;
    const jwt = new SignJWT({ email: 'ada@example.com', ...claims })
      .setProtectedHeader({ alg: 'ES256', kid: 'k1' })
      .setIssuer('https://team.example')
      .setAudience('board')
      .setIssuedAt(nowSeconds)
      .setExpirationTime(nowSeconds + 60);
    return alter(jwt).sign(keys.privateKey);
  }

  it('lets people in and names them in the audit by their e-mail address', async () => {
    const { call } = createApp();
    fetches = 0;
    const token = await sign();
    expect(await call(token)).toEqual({ status: 200, text: '{"actor":"ada@example.com"}' });
    expect((await call(token)).status).toBe(200);
    expect(fetches).toBe(1);
  });

  it('refuses every token that is not quite right', async () => {
    const { call, ports } = createApp();
    const other = await generateKeyPair('ES256');
    const secret = new TextEncoder().encode('x'.repeat(32));
    const forged = await new SignJWT({ email: 'a@b.c' })
      .setProtectedHeader({ alg: 'HS256', kid: 'k1' })
      .setIssuer('https://team.example')
      .setAudience('board')
      .setExpirationTime('1h')
      .sign(secret);
    const elsewhere = await new SignJWT({ email: 'a@b.c' })
      .setProtectedHeader({ alg: 'ES256', kid: 'k1' })
      .setIssuer('https://team.example')
      .setAudience('board')
      .setExpirationTime('1h')
      .sign(other.privateKey);
    const bad = [
      '',
      'x',
      'a.b.c',
      forged,
      elsewhere,
      await sign({}, (jwt) => jwt.setIssuer('https://other.example')),
      await sign({}, (jwt) => jwt.setAudience('other')),
      await sign({ email: undefined }),
      await sign({ email: 'two words@example.com' }),
      await sign({ email_verified: false }),
      `${await sign()}x`.repeat(40),
    ];
    for (const token of bad) {
      expect((await call(token)).status, token.slice(0, 40)).toBe(401);
      expect((await call(token, { env: LOCAL })).status).toBe(401);
    }
    const token = await sign();
    ports.clock.advance(91_000);
    expect((await call(token)).status).toBe(401);
  });

  it('lets nobody in from elsewhere without a token, also not to read', async () => {
    const { call } = createApp();
    const read = { path: '/api/v1/state', method: 'GET' };
    expect((await call(null, read)).status).toBe(401);
    expect((await call(await sign(), read)).status).toBe(200);
    expect((await call(null, { ...read, headers: { Authorization: 'Bearer w' } })).status).toBe(
      200,
    );
    expect((await call(null, { ...read, env: LOCAL })).status).toBe(200);
    expect((await call(null, { path: '/page', method: 'GET' })).status).toBe(200);
  });

  it('gives the scope that is configured', async () => {
    const { call } = createApp({ scope: 'read' });
    expect((await call(await sign())).status).toBe(403);
  });

  it('stays closed while its keys are out of reach', async () => {
    isDown = true;
    const { call, ports } = createApp();
    expect((await call(await sign())).status).toBe(401);
    isDown = false;
    expect(ports.complaints).toContain("an identity proxy's token was refused");
  });

  it('is read from the environment as a whole or not at all', () => {
    const whole = {
      SERVICE_IDENTITY_ISSUER: 'https://team.example',
      SERVICE_IDENTITY_AUDIENCE: 'board',
      SERVICE_IDENTITY_JWKS_URL: 'https://team.example/keys',
    };
    expect(identityFromEnvironment({})).toBeNull();
    expect(identityFromEnvironment(whole)).toMatchObject({
      header: 'Cf-Access-Jwt-Assertion',
      scope: 'admin',
    });
    const half = { ...whole, SERVICE_IDENTITY_AUDIENCE: '' };
    expect(() => identityFromEnvironment(half)).toThrow('SERVICE_IDENTITY_AUDIENCE');
    const open = { ...whole, SERVICE_IDENTITY_JWKS_URL: 'http://team.example/keys' };
    expect(() => identityFromEnvironment(open)).toThrow('SERVICE_IDENTITY_JWKS_URL');
  });
});
