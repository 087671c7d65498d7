import { describe, expect, it } from 'vitest';
import { LOCAL, REMOTE, createHttpApp } from '../../../test/support/http-app.ts';

describe('request id', () => {
  it("keeps a client's visible ASCII and replaces the rest, also on errors", async () => {
    const { app } = createHttpApp();
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

describe('rate limit', () => {
  it('answers 429 over the limit and lets go when the minute is over', async () => {
    const { app, ports } = createHttpApp({ limit: 3 });
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
    const { app } = createHttpApp({ limit: 1 });
    const post = async (path: string) =>
      (await app.request(path, { method: 'POST' }, LOCAL)).status;
    expect([await post('/api/v1/refresh'), await post('/api/v1/refresh')]).toEqual([200, 429]);
    expect([await post('/webhooks/tracker'), await post('/webhooks/tracker')]).toEqual([200, 200]);
    expect(await post('/webhooks/tracker')).toBe(429);
    expect(await post('/api/v1/runners/join')).toBe(200);
  });

  it('believes X-Forwarded-For only as far as our own proxies go', async () => {
    const status = async (trustedHops: number, chains: string[]) => {
      const { app } = createHttpApp({ limit: 1, trustedHops });
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

describe('security headers', () => {
  it('are on every answer', async () => {
    const { app } = createHttpApp();
    for (const path of ['/page', '/api/v1/state', '/api/v1/fail/x', '/none']) {
      const { headers } = await app.request(path, {}, LOCAL);
      expect(headers.get('X-Content-Type-Options')).toBe('nosniff');
      expect(headers.get('Referrer-Policy')).toBe('no-referrer');
      expect(headers.get('Content-Security-Policy')).toContain("frame-ancestors 'none'");
      expect(headers.get('Content-Security-Policy')).not.toContain('unsafe');
    }
  });
});
