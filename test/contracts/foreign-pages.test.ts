import { afterEach, describe, expect, it } from 'vitest';
import { rawRequest } from '../support/fronts/raw-request.ts';
import { type Plane, startPlane } from '../support/fronts/start-plane.ts';

/** What a browser says of a request that a page of another site makes. */
const FETCHED = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' };
const SENT = { ...FETCHED, origin: 'https://evil.example' };
/** What it says when a person follows a link that stands there. */
const FOLLOWED = {
  'sec-fetch-site': 'cross-site',
  'sec-fetch-mode': 'navigate',
  'sec-fetch-dest': 'document',
  'sec-fetch-user': '?1',
};
/** What else a request says, to no avail. */
const SHOWN: Record<string, string>[] = [
  {},
  { 'sec-fetch-site': 'same-origin' },
  { 'x-forwarded-for': '::1' },
];
const OWN: Record<string, string>[] = [
  {},
  { 'sec-fetch-site': 'same-origin' },
  { 'sec-fetch-site': 'none' },
];
const READS = ['/api/v1/state', '/api/v1/events', '/api/v1/search?q=a', '/api/docs', '/metrics'];
const PAGES = ['/', '/issues/SY-1', '/healthz', '/readyz'];
const JOIN = '/api/v1/runners/join';

const planes: Plane[] = [];
afterEach(async () => {
  for (const plane of planes.splice(0)) await plane.close();
});
async function start(env: Record<string, string> = {}): Promise<Plane> {
  const plane = await startPlane(env);
  planes.push(plane);
  return plane;
}
const remaining = async ({ ask }: Plane) =>
  Number((await ask({ path: '/api/v1/session' })).headers['ratelimit-remaining']);

describe('a name that was made to point to this machine', () => {
  it('is answered nothing, wherever it asks and whatever it shows', async () => {
    const plane = await start();
    const before = await remaining(plane);
    const host = `evil.example:${plane.port}`;
    for (const path of [...READS, ...PAGES, '/api/v1/nothing']) {
      for (const headers of SHOWN) {
        const { status, body } = await plane.ask({ path, headers: { ...headers, host } });
        expect(status, path).toBe(403);
        const said = JSON.parse(body);
        expect(said).toMatchObject({ status: 403, code: 'unknown_host' });
        expect(said.error).toContain('SERVICE_PUBLIC_ORIGIN');
        expect(said.error).toContain('evil.example');
      }
    }
    for (const path of ['/webhooks/tracker', '/webhooks/codehost', JOIN, '/api/v1/session']) {
      const { status } = await plane.ask({ method: 'POST', path, body: {}, headers: { host } });
      expect(status, path).toBe(403);
    }
    expect(await remaining(plane)).toBeGreaterThanOrEqual(before - 1);
  });

  it.each(['[::1]', 'LOCALHOST', '127.9.8.7', 'localhost'])('is none: %s', async (name) => {
    const { ask, port } = await start();
    for (const host of [name, `${name}:${port}`]) {
      expect((await ask({ path: '/api/v1/state', headers: { host } })).status).toBe(200);
    }
  });

  it.each(['localhost.evil.example', '127.0.0.1.evil.example', '0.0.0.0', 'localhost@evil'])(
    'is one, however near it comes: %j',
    async (host) => {
      const { ask } = await start();
      expect([400, 403]).toContain(
        (await ask({ path: '/api/v1/state', headers: { host } })).status,
      );
    },
  );

  it('stands in the first line of the request too', async () => {
    const { ask } = await start();
    const path = 'http://evil.example/api/v1/state';
    expect((await ask({ path, headers: { host: 'localhost' } })).status).toBe(403);
  });
});

describe('names that the operator gave', () => {
  const WEBHOOK = JSON.stringify({ webhookUrl: 'https://hooks.example/webhooks/tracker' });
  it.each([
    ['SERVICE_PUBLIC_ORIGIN', 'https://switchyard.example', 'switchyard.example'],
    ['SERVICE_PUBLIC_ORIGIN', 'https://switchyard.example:8443', 'switchyard.example:8443'],
    ['SERVICE_ALLOWED_HOSTS', 'board.example, other.example', 'board.example'],
    ['SERVICE_CONFIG__webhook', WEBHOOK, 'hooks.example'],
  ])('%s=%s is answered as %s', async (variable, value, host) => {
    const { ask, localSecret } = await start({ [variable]: value });
    const authorization = `Bearer ${await localSecret()}`;
    for (const path of ['/healthz', '/api/v1/state']) {
      const known = await ask({ path, headers: { host, authorization } });
      expect(known.status, known.body).toBe(200);
      const other = await ask({ path, headers: { host: 'evil.example', authorization } });
      expect(other.status).toBe(403);
    }
  });
});

describe("another site's page", () => {
  it('uses up nothing of what this machine may ask', async () => {
    const plane = await start({ SERVICE_CONFIG__limits: JSON.stringify({ apiPerMinute: 20 }) });
    for (let times = 0; times < 8; times += 1) {
      for (const path of READS) {
        expect((await plane.ask({ path, headers: FETCHED })).status, path).toBe(403);
      }
    }
    expect(await remaining(plane)).toBe(19);
  });

  it('holds no stream', async () => {
    const limits = { SERVICE_CONFIG__limits: JSON.stringify({ streamsPerClient: 1 }) };
    const plane = await start(limits);
    const held: AbortController[] = [];
    for (let times = 0; times < 3; times += 1) {
      const controller = new AbortController();
      held.push(controller);
      const { signal } = controller;
      const headers = { ...FETCHED, accept: 'text/event-stream' };
      const url = `http://127.0.0.1:${plane.port}/api/v1/events`;
      expect((await fetch(url, { headers, signal })).status).toBe(403);
    }
    expect((await plane.ask({ path: '/api/v1/events' })).status).toBe(200);
    for (const controller of held) controller.abort();
  });

  it('counts as no failure of a runner or a delivery', async () => {
    const limits = { runnerFailuresPerMinute: 2, webhooksPerMinute: 2 };
    const { ask } = await start({ SERVICE_CONFIG__limits: JSON.stringify(limits) });
    for (const path of [JOIN, '/webhooks/tracker']) {
      for (let times = 0; times < 5; times += 1) {
        const foreign = await ask({ method: 'POST', path, body: {}, headers: SENT });
        expect(foreign.status, path).toBe(403);
        expect(JSON.parse(foreign.body).code).toBe('foreign_page');
      }
      expect((await ask({ method: 'POST', path, body: {} })).status).not.toBe(429);
    }
  });

  it('opens no socket', async () => {
    const { port } = await start();
    const upgrade = { connection: 'Upgrade', upgrade: 'websocket', 'sec-websocket-version': '13' };
    const headers = { ...upgrade, 'sec-websocket-key': 'c3dpdGNoeWFyZC10ZXN0cw==', ...SENT };
    const path = '/api/v1/runners/connect';
    expect((await rawRequest({ port, path, headers })).status).toBe(403);
  });

  it.each([
    ['its origin alone', { origin: 'https://evil.example' }],
    ['no origin', { origin: 'null' }],
    ['another port of this machine', { 'sec-fetch-site': 'same-site' }],
    ['a frame', { ...FOLLOWED, 'sec-fetch-dest': 'iframe' }],
    ['a page fetched before anybody wants it', { ...FOLLOWED, 'sec-purpose': 'prefetch' }],
  ])('is known by %s', async (_name, headers) => {
    const { ask } = await start();
    for (const path of ['/api/v1/state', '/']) {
      expect((await ask({ path, headers })).status, path).toBe(403);
    }
  });

  it('is none that the browser calls our own, whatever a proxy makes of its address', async () => {
    const token = 'w'.repeat(40);
    const { ask } = await start({ SERVICE_WRITE_TOKEN: token, SERVICE_TRUST_LOOPBACK: '0' });
    const page = { origin: 'https://board.example', 'sec-fetch-site': 'same-origin' };
    const post = async (headers: Record<string, string>) =>
      (await ask({ method: 'POST', path: '/api/v1/refresh', body: {}, headers })).status;
    expect(await post({ ...page, authorization: `Bearer ${token}` })).toBe(202);
    expect(await post(page)).toBe(401);
    expect(await post({ ...page, 'sec-fetch-site': 'same-site' })).toBe(403);
  });

  it('may link to pages of the service, and a person may follow', async () => {
    const { ask } = await start();
    for (const path of ['/issues/SY-1', '/api/docs']) {
      expect([200, 503]).toContain((await ask({ path, headers: FOLLOWED })).status);
    }
    const { 'sec-fetch-user': _, ...byItself } = FOLLOWED;
    expect([200, 503]).toContain((await ask({ path: '/', headers: byItself })).status);
    expect((await ask({ path: '/api/v1/state', headers: byItself })).status).toBe(403);
    const form = { ...FOLLOWED, origin: 'https://evil.example' };
    const posted = await ask({ method: 'POST', path: '/api/v1/refresh', body: {}, headers: form });
    expect(posted.status).toBe(403);
  });
});

describe('our own page', () => {
  it('reads as before', async () => {
    const { ask, port } = await start();
    const origin = `http://127.0.0.1:${port}`;
    for (const headers of OWN) {
      expect((await ask({ path: '/api/v1/state', headers })).status).toBe(200);
      const sent = { ...headers, origin };
      expect((await ask({ path: '/api/v1/state', headers: sent })).status).toBe(200);
    }
  });
});
