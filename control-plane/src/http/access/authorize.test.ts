import { describe, expect, it } from 'vitest';
import { LOCAL, REMOTE, createHttpApp } from '../../../../test/support/http-app.ts';
import type { HttpAppOptions } from '../../../../test/support/http-app.ts';

describe('authorize', () => {
  type Asked = { path?: string; headers?: Record<string, string>; env?: typeof REMOTE };
  const ask = (
    method: string,
    options: HttpAppOptions,
    { path = '/api/v1/refresh', headers = {}, env = REMOTE }: Asked,
  ) => createHttpApp(options).app.request(path, { method, headers }, env);
  const post = (options: HttpAppOptions, asked: Asked = {}) => ask('POST', options, asked);
  const get = (options: HttpAppOptions, asked: Asked) => ask('GET', options, asked);
  const bearer = (token: string) => ({ Authorization: `Bearer ${token}` });

  it('lets this machine do everything without a token', async () => {
    const response = await post({}, { headers: { 'X-Service-Source': 'wizard' }, env: LOCAL });
    expect(response.status).toBe(200);
    const { caller } = (await response.json()) as { caller: unknown };
    expect(caller).toMatchObject({ actor: 'local', source: 'wizard', path: '/api/v1/refresh' });
  });

  it('asks others for the write token before they change anything', async () => {
    for (const headers of [{}, bearer('wrong'), { Authorization: 'Basic dzp3' }, bearer('')]) {
      const response = await post({}, { headers });
      expect(response.status).toBe(401);
      expect(response.headers.get('WWW-Authenticate')).toBe('Bearer');
      expect(await response.json()).toMatchObject({ status: 401, code: 'unauthorized' });
    }
    const response = await post({}, { headers: bearer('w') });
    expect(await response.json()).toMatchObject({
      caller: { actor: 'write-token', source: 'API' },
    });
  });

  it('answers 403 to remote changes while there is no write token', async () => {
    expect((await post({ writeToken: '' })).status).toBe(403);
    expect((await post({ writeToken: '' }, { headers: bearer('') })).status).toBe(403);
  });

  it('leaves remote reads open until there is a read token', async () => {
    const read = (options: HttpAppOptions, headers = {}) =>
      get(options, { path: '/api/v1/state', headers });
    expect((await read({})).status).toBe(200);
    expect((await read({ readToken: 'r' })).status).toBe(401);
    expect((await read({ readToken: 'r' }, bearer('r'))).status).toBe(200);
    expect((await read({ readToken: 'r' }, bearer('w'))).status).toBe(200);
    expect((await post({ readToken: 'r' }, { headers: bearer('r') })).status).toBe(403);
  });

  it('does not take a web page on this machine for this machine', async () => {
    const headers = { Origin: 'https://evil.example' };
    expect((await post({}, { headers, env: LOCAL })).status).toBe(403);
  });

  it('leaves webhooks, the trigger, runner routes and static files to their own checks', async () => {
    const paths = ['/webhooks/tracker', '/api/v1/webhooks/trigger', '/api/v1/runners/join'];
    for (const path of paths) expect((await post({ readToken: 'r' }, { path })).status).toBe(200);
    for (const path of ['/healthz', '/page']) {
      expect((await get({ readToken: 'r' }, { path })).status).toBe(200);
    }
    expect((await post({}, { path: '/api/v1/runners/tokens' })).status).toBe(401);
    expect((await post({}, { path: '/api/v1/webhooks/dead' })).status).toBe(401);
  });
});
