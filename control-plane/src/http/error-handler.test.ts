import { describe, expect, it } from 'vitest';
import { LOCAL, REMOTE, createHttpApp } from '../../../test/support/http-app.ts';
import { MAX_BODY_BYTES } from './limits/body-limit.ts';

const JSON_HEADERS = { 'Content-Type': 'application/json' };

describe('bodies', () => {
  const send = (body: BodyInit, headers: Record<string, string> = JSON_HEADERS) =>
    createHttpApp().app.request(
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
    const { app, ports } = createHttpApp();
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
    const { app } = createHttpApp();
    expect((await app.request('/api/v1/state', { method: 'HEAD' }, LOCAL)).status).toBe(200);
    const options = await app.request('/api/v1/state', { method: 'OPTIONS' }, REMOTE);
    expect([options.status, options.headers.get('Allow')]).toEqual([204, 'GET, HEAD, OPTIONS']);
  });
});
