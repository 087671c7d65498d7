import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Front, startBareProxy, startForwarder } from '../support/fronts/start-front.ts';
import { rawRequest } from '../support/fronts/raw-request.ts';
import { type Plane, startPlane } from '../support/fronts/start-plane.ts';

const WRITE_TOKEN = 'a-write-token-of-the-test';
const IDENTITY = {
  SERVICE_IDENTITY_ISSUER: 'https://team.example',
  SERVICE_IDENTITY_AUDIENCE: 'board',
  SERVICE_IDENTITY_JWKS_URL: 'https://team.example/keys',
};
/** Each says that others can reach the service. */
const TRIGGERS: [string, Record<string, string>][] = [
  ['a read token', { SERVICE_READ_TOKEN: 'a-read-token-of-the-test' }],
  ['a public origin', { SERVICE_PUBLIC_ORIGIN: 'https://switchyard.example' }],
  ['a trusted proxy', { SERVICE_TRUST_PROXY: '1' }],
  ['an identity provider of the environment', IDENTITY],
  [
    'an identity provider of the configuration',
    {
      SERVICE_CONFIG__auth__identity: JSON.stringify({
        issuer: 'https://team.example',
        audience: 'board',
        jwksUrl: 'https://team.example/keys',
      }),
    },
  ],
  ['no trust in loopback', { SERVICE_TRUST_LOOPBACK: '0' }],
];
const PROVIDER = '/api/v1/config/overlay/engine.provider.baseUrl';
const EVIL = { value: 'https://models.evil.example/v1' };
/** What a stranger would do first. */
const ATTACKS = [
  { method: 'POST', path: '/api/v1/runners/tokens', body: {} },
  { method: 'PATCH', path: PROVIDER, body: EVIL },
  { method: 'POST', path: '/api/v1/tokens', body: { name: 'back-door', scope: 'admin' } },
  { method: 'POST', path: '/api/v1/session/codes' },
  { method: 'DELETE', path: '/api/v1/sessions' },
];
const READS = [
  '/api/v1/state',
  '/api/v1/config',
  '/api/v1/events?after=0',
  '/api/v1/openapi.json',
  '/api/docs',
  '/metrics',
];

describe.each(TRIGGERS)('a service behind a silent proxy with %s', (_name, variables) => {
  let plane: Plane;
  let fronts: [string, Front][];
  beforeAll(async () => {
    plane = await startPlane({ SERVICE_WRITE_TOKEN: WRITE_TOKEN, ...variables });
    fronts = [
      ['a TCP forwarder', await startForwarder(plane.port)],
      ['a proxy without headers', await startBareProxy(plane.port)],
    ];
  });
  afterAll(async () => {
    for (const [, front] of fronts) await front.close();
    await plane.close();
  });
  const hosts = () => [`localhost:${plane.port}`, 'localhost', '127.0.0.1', '[::1]'];
  const overlay = async () => {
    const headers = { authorization: `Bearer ${WRITE_TOKEN}` };
    return (await plane.ask({ path: '/api/v1/config/overlay', headers })).body;
  };

  it('lets nobody change anything without a token', async () => {
    for (const [name, { port }] of fronts) {
      for (const host of hosts()) {
        for (const attack of ATTACKS) {
          const answer = await rawRequest({ port, ...attack, headers: { host } });
          expect([401, 403], `${name}, ${host}, ${attack.path}: ${answer.body}`).toContain(
            answer.status,
          );
        }
      }
    }
    expect(await overlay()).not.toContain('evil');
  });

  it('lets somebody with the local secret in, from this machine only', async () => {
    const headers = { authorization: `Bearer ${await plane.localSecret()}` };
    const made = await plane.ask({
      method: 'POST',
      path: '/api/v1/runners/tokens',
      body: {},
      headers,
    });
    expect(made.status, made.body).toBe(201);
    const forwarded = { ...headers, 'x-forwarded-for': '192.0.2.7' };
    const elsewhere = { method: 'POST', path: '/api/v1/runners/tokens', body: {} };
    expect((await plane.ask({ ...elsewhere, headers: forwarded })).status).toBe(401);
    const named = { ...headers, host: 'switchyard.example' };
    const isServed = 'SERVICE_PUBLIC_ORIGIN' in variables;
    expect((await plane.ask({ ...elsewhere, headers: named })).status).toBe(isServed ? 401 : 403);
    const page = { ...headers, origin: 'https://evil.example' };
    expect((await plane.ask({ ...elsewhere, headers: page })).status).toBe(403);
  });

  it('lets the write token in, as before', async () => {
    const headers = { authorization: `Bearer ${WRITE_TOKEN}` };
    for (const { port } of [plane, ...fronts.map(([, front]) => front)]) {
      const path = '/api/v1/runners/tokens';
      const made = await rawRequest({ port, method: 'POST', path, body: {}, headers });
      expect(made.status, made.body).toBe(201);
    }
  });

  it('does not redeem a guessed code, and says the same whether or not one waits', async () => {
    await plane.openingUrl();
    for (const code of ['', 'x', 'x'.repeat(43)]) {
      const asked = { method: 'POST', path: '/api/v1/session', body: { code } };
      expect((await plane.ask(asked)).status).toBe(code === '' ? 400 : 401);
    }
  });
});

describe('reads from this machine', () => {
  it('need the local secret or a token once there is a read token', async () => {
    const plane = await startPlane({ SERVICE_READ_TOKEN: 'a-read-token-of-the-test' });
    const forwarder = await startForwarder(plane.port);
    try {
      const secret = await plane.localSecret();
      for (const path of READS) {
        const host = `localhost:${plane.port}`;
        const anonymous = await rawRequest({ port: forwarder.port, path, headers: { host } });
        expect(anonymous.status, path).toBe(401);
        for (const token of [secret, 'a-read-token-of-the-test']) {
          const headers = { authorization: `Bearer ${token}` };
          expect((await plane.ask({ path, headers })).status, path).toBe(200);
        }
      }
      for (const path of ['/healthz', '/readyz', '/']) {
        expect([200, 503]).toContain((await plane.ask({ path })).status);
      }
    } finally {
      await forwarder.close();
      await plane.close();
    }
  });
});

describe('a service that nothing says others can reach', () => {
  it('asks this machine for nothing, with a write token too', async () => {
    const harmless: Record<string, string>[] = [
      {},
      { SERVICE_WRITE_TOKEN: WRITE_TOKEN },
      { SERVICE_TRUST_PROXY: '0' },
    ];
    for (const variables of harmless) {
      const plane = await startPlane(variables);
      try {
        for (const attack of ATTACKS) {
          expect((await plane.ask(attack)).status, attack.path).toBeLessThan(300);
        }
        expect(await plane.openingUrl()).toBe(plane.url);
        const asked = { path: '/api/v1/session', headers: { host: 'localhost' } };
        const seen = JSON.parse((await plane.ask(asked)).body) as object;
        expect(seen).toMatchObject({ actor: 'local', scope: 'admin', fromLoopback: true });
      } finally {
        await plane.close();
      }
    }
  });

  it.each<Record<string, string>>([
    { SERVICE_TRUST_LOOPBACK: 'no' },
    { SERVICE_TRUST_PROXY: 'true' },
  ])('does not start with a setting that says nothing: %j', async (variables) => {
    const [name = ''] = Object.keys(variables);
    await expect(startPlane(variables)).rejects.toThrow(name);
  });
});
