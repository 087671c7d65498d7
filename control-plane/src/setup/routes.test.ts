import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createConfigApp } from '../../../test/support/config-app.ts';
import type { ConfigApp } from '../../../test/support/config-app.ts';

describe('repository routes', () => {
  let fixture: ConfigApp;
  beforeEach(async () => {
    const text = 'repos: [{ prefix: OPS-, url: "ssh://git@h/ops.git" }]';
    fixture = await createConfigApp({
      baseFile: { name: 'switchyard.yaml', format: 'yaml', text },
    });
  });
  afterEach(() => fixture.close());

  const base = { prefix: 'OPS-', url: 'ssh://git@h/ops.git' };
  const added = { prefix: 'SY-', url: 'https://h/app.git', default_branch: 'main' };

  it('adds behind those of the base file and lists them', async () => {
    const { status, body } = await fixture.call('POST', '/api/v1/setup/repo-route', added);
    expect([status, body]).toEqual([201, { routes: [base, added] }]);
    const list = await fixture.call('GET', '/api/v1/setup/repo-routes');
    expect(list.body).toEqual({ routes: [base, added] });
    expect((await fixture.config.load()).repos).toEqual([base, added]);
  });

  it('removes by position, also what the base file gave', async () => {
    await fixture.call('POST', '/api/v1/setup/repo-route', added);
    const { status, body } = await fixture.call('DELETE', '/api/v1/setup/repo-route/0');
    expect([status, body]).toEqual([200, { routes: [added] }]);
    await fixture.call('DELETE', '/api/v1/setup/repo-route/0');
    expect((await fixture.call('GET', '/api/v1/setup/repo-routes')).body).toEqual({ routes: [] });
  });

  it.each(['1', '-1', 'x', '0x0', '99999999999999999999'])(
    'knows no position %s',
    async (index) => {
      const { status, body } = await fixture.call('DELETE', `/api/v1/setup/repo-route/${index}`);
      expect(status).toBe(404);
      expect(body).toMatchObject({ error: expect.stringMatching(/not found$/) });
    },
  );

  it.each([
    { prefix: 'SY-', url: '-x' },
    { prefix: 'SY-', url: 'http://h/app' },
    { url: 'https://h/app' },
    { prefix: 'SY-', label: 'a', url: 'https://h/app' },
    { prefix: 'SY-', url: 'https://h/app', extra: 1 },
    {},
  ])('refuses %j', async (route) => {
    const { status } = await fixture.call('POST', '/api/v1/setup/repo-route', route);
    expect(status).toBe(400);
    const { body } = await fixture.call('GET', '/api/v1/setup/repo-routes');
    expect(body).toEqual({ routes: [base] });
  });
});
