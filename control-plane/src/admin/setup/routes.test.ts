import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createConfigApp } from '../../../../test/support/config-app.ts';
import type { ConfigApp } from '../../../../test/support/config-app.ts';
import { routeForIssue } from '../../config/repositories/route-for-issue.ts';
import { eventChunks } from '../../db/schema/operation/events.ts';

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
    expect([status, body]).toMatchObject([201, { routes: [base, added], url: added.url }]);
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

  it('puts another one in a place, with the match that was there', async () => {
    await fixture.call('POST', '/api/v1/setup/repo-route', added);
    const mended = { ...base, url: 'ssh://git@h/operations.git' };
    const put = (index: number, route: unknown) =>
      fixture.call('PUT', `/api/v1/setup/repo-route/${index}`, route);
    const { status, body } = await put(0, mended);
    expect([status, body]).toMatchObject([200, { routes: [mended, added], url: mended.url }]);
    expect((await put(0, { ...mended, url: '--upload-pack=id' })).status).toBe(400);
    expect((await put(0, added)).status).toBe(400);
    expect((await put(2, { ...mended, prefix: 'X-' })).status).toBe(404);
    expect((await fixture.config.load()).repos).toEqual([mended, added]);
  });

  it.each(['1', '-1', 'x', '0x0', '99999999999999999999'])(
    'knows no position %s',
    async (index) => {
      const { status, body } = await fixture.call('DELETE', `/api/v1/setup/repo-route/${index}`);
      expect(status).toBe(404);
      expect(body).toMatchObject({ error: expect.stringMatching(/not found$/) });
    },
  );

  it('checks labels before prefixes, whichever was added first', async () => {
    const label = { label: 'Docs', url: 'https://h/docs.git' };
    await fixture.call('POST', '/api/v1/setup/repo-route', added);
    const answer = await fixture.call('POST', '/api/v1/setup/repo-route', label);
    expect(answer.body).toMatchObject({ routes: [base, added, label] });
    const { repos } = await fixture.config.load();
    const urlOf = (identifier: string, labels: string[]) =>
      routeForIssue({ identifier, labels }, repos)?.url;
    expect(urlOf('SY-1', ['docs'])).toBe(label.url);
    expect(urlOf('SY-1', ['other'])).toBe(added.url);
    expect(urlOf('OPS-1', [])).toBe(base.url);
    expect(urlOf('XX-1', ['other'])).toBeUndefined();
  });

  it('keeps routes over a restart, with an audit row and an event for each change', async () => {
    await fixture.call('POST', '/api/v1/setup/repo-route', added);
    await fixture.call('DELETE', '/api/v1/setup/repo-route/0');
    const overlay = await fixture.call('GET', '/api/v1/config/overlay');
    expect(overlay.body).toEqual({ repos: [added] });
    const { body } = await fixture.call('GET', '/api/v1/audit');
    expect(body['entries']).toMatchObject([
      { operation: 'repo-route.remove', subject: 'repos' },
      { operation: 'repo-route.add', subject: 'repos' },
    ]);
    const chunks = await fixture.db.select().from(eventChunks);
    expect(chunks.flatMap((chunk) => chunk.items)).toMatchObject([
      { type: 'config.changed', data: { paths: ['repos'] } },
      { type: 'config.changed', data: { paths: ['repos'] } },
    ]);
  });

  it.each([
    ['a url that git takes for an option', { prefix: 'SY-', url: '-x' }, 'url'],
    ['another scheme', { prefix: 'SY-', url: 'http://h/app' }, 'url'],
    ['a command', { prefix: 'SY-', url: 'ext::sh -c x' }, 'url'],
    ['a control character', { prefix: 'SY-', url: 'https://h/a\u0007pp' }, 'url'],
    ['a path that is not absolute', { prefix: 'SY-', url: 'file://srv/app.git' }, 'url'],
    ['a password', { prefix: 'SY-', url: 'https://me:pw@h/app' }, 'url'],
    ['a host that is an option', { prefix: 'SY-', url: 'ssh://-oProxyCommand=x/app' }, 'url'],
    ['a url that is no text', { prefix: 'SY-', url: 1 }, 'url'],
    ['no url', { prefix: 'SY-' }, 'url'],
    [
      'a branch that git takes for an option',
      { ...added, default_branch: '--upload-pack=x' },
      'default_branch',
    ],
    ['a branch of two lines', { ...added, default_branch: 'a\nb' }, 'default_branch'],
    ['a branch with a range', { ...added, default_branch: 'a..b' }, 'default_branch'],
    ['a branch with a space', { ...added, default_branch: 'my branch' }, 'default_branch'],
    ['a branch of spaces', { ...added, default_branch: '  ' }, 'default_branch'],
    ['a branch without a name', { ...added, default_branch: '' }, 'default_branch'],
    ['a branch that is a lock', { ...added, default_branch: 'next.lock' }, 'default_branch'],
    ['a whole ref', { ...added, default_branch: 'refs/heads/main' }, 'default_branch'],
    ['what git keeps for itself', { ...added, default_branch: 'HEAD' }, 'default_branch'],
    ['a prefix that leads elsewhere', { ...added, prefix: 'OPS-' }, 'prefix'],
    ['the same prefix in other letters', { ...added, prefix: ' ops- ' }, 'prefix'],
    ['neither prefix nor label', { url: 'https://h/app' }, ''],
    ['both', { prefix: 'SY-', label: 'a', url: 'https://h/app' }, ''],
    ['an unknown field', { prefix: 'SY-', url: 'https://h/app', extra: 1 }, ''],
    ['an empty object', {}, ''],
    ['a list', [], ''],
  ])('refuses %s and names the field', async (_what, route, field) => {
    const { status, body } = await fixture.call('POST', '/api/v1/setup/repo-route', route);
    expect(status).toBe(400);
    expect(body).toMatchObject({ status: 400, error: expect.stringContaining(field) });
    const list = await fixture.call('GET', '/api/v1/setup/repo-routes');
    expect(list.body).toEqual({ routes: [base] });
  });

  it('refuses bodies that are not JSON, and other methods', async () => {
    const path = '/api/v1/setup/repo-route';
    const send = (init: RequestInit) =>
      fixture.app.request(path, init, { remoteAddress: '127.0.0.1' });
    const headers = { 'Content-Type': 'application/json' };
    expect((await send({ method: 'POST', headers, body: '{"url":' })).status).toBe(400);
    const text = { 'Content-Type': 'text/plain' };
    expect((await send({ method: 'POST', headers: text, body: '{}' })).status).toBe(415);
    const wrong = await send({ method: 'PUT', headers, body: '{}' });
    expect([wrong.status, wrong.headers.get('Allow')]).toEqual([
      405,
      expect.stringMatching('POST'),
    ]);
  });

  it('says how to name a branch, and where a prefix or label leads already', async () => {
    const refusal = async (route: object) => {
      const { body } = await fixture.call('POST', '/api/v1/setup/repo-route', route);
      return body['error'];
    };
    expect(await refusal({ ...added, default_branch: 'refs/heads/main' })).toContain(
      'as main, without refs/heads/',
    );
    expect(await refusal({ ...added, prefix: 'ops-' })).toContain(base.url);
    const label = { label: 'Docs', url: 'https://h/docs.git' };
    await fixture.call('POST', '/api/v1/setup/repo-route', label);
    expect(await refusal({ label: 'docs', url: added.url })).toMatch(/^label: .*h\/docs\.git/);
  });

  it.each([
    ['a prefix twice', [added, { ...added, prefix: 'sy-' }], 'repos.1.prefix'],
    ['an impossible branch', [{ ...added, default_branch: 'a..b' }], 'repos.0.default_branch'],
  ])('refuses %s in the settings too', async (_what, repos, path) => {
    const whole = await fixture.call('PUT', '/api/v1/config/overlay', { repos });
    expect([whole.status, whole.body]).toMatchObject([
      400,
      { error: expect.stringContaining(path), details: [{ path }] },
    ]);
    const one = await fixture.call('PATCH', '/api/v1/config/overlay/repos', { value: repos });
    expect(one.status).toBe(400);
    expect((await fixture.config.load()).repos).toEqual([base]);
  });

  it('grant secrets to a repository by name, for hosts by name', async () => {
    const granted = { secret: '$SECRET:SHOP', hosts: ['api.shop.test', 'shop.test:8443'] };
    const route = { ...added, secrets: [granted] };
    const answer = await fixture.call('POST', '/api/v1/setup/repo-route', route);
    expect([answer.status, answer.body]).toMatchObject([201, { routes: [base, route] }]);
    expect((await fixture.call('GET', '/api/v1/config')).body).toMatchObject({
      repos: [base, route],
    });
    expect(fixture.config.problems()).toMatchObject([
      { code: 'missing_secret', message: expect.stringContaining('SHOP') },
    ]);
  });

  it.each([
    ['a value in the place of a name', { secret: 'hunter2-hunter2', hosts: ['shop.test'] }],
    ['a star', { secret: '$SECRET:SHOP', hosts: ['*.shop.test'] }],
    ['no host', { secret: '$SECRET:SHOP', hosts: [] }],
    ['a header of the connection', { secret: '$SECRET:SHOP', hosts: ['a.test'], header: 'Host' }],
    ['a login without a user', { secret: '$SECRET:SHOP', hosts: ['a.test'], scheme: 'basic' }],
    ['one host twice', { secret: '$SECRET:SHOP', hosts: ['a.test', 'A.test:443'] }],
  ])('refuse %s as a secret', async (_what, granted) => {
    const route = { ...added, secrets: [granted] };
    const { status, body } = await fixture.call('POST', '/api/v1/setup/repo-route', route);
    expect(status).toBe(400);
    expect(JSON.stringify(body)).not.toContain('hunter2');
  });

  const checks = [
    { name: 'lint', command: 'npm run lint' },
    { name: 'test: unit', command: 'npm ci\n\tnpm test', timeout_ms: 900_000 },
  ];

  it('declare checks, added, put in a place and set in the overlay', async () => {
    const route = { ...added, checks };
    const posted = await fixture.call('POST', '/api/v1/setup/repo-route', route);
    expect([posted.status, posted.body]).toMatchObject([201, { routes: [base, route] }]);
    const put = await fixture.call('PUT', '/api/v1/setup/repo-route/0', { ...base, checks });
    expect([put.status, put.body]).toMatchObject([200, { routes: [{ ...base, checks }, route] }]);
    const value = [{ ...base, checks: checks.toReversed() }];
    const patched = await fixture.call('PATCH', '/api/v1/config/overlay/repos', { value });
    expect(patched.status).toBe(200);
    expect((await fixture.config.load()).repos).toEqual(value);
    expect((await fixture.call('GET', '/api/v1/config')).body).toMatchObject({ repos: value });
  });

  it.each([
    ['a name twice', [checks[0], checks[0]], 'checks', 'same name'],
    [
      'a name of two lines',
      [{ name: 'a\nb', command: 'true' }],
      'checks.0.name',
      'must be 1 to 64',
    ],
    ['no command', [checks[0], { name: 'test' }], 'checks.1.command', ''],
    ['an empty command', [{ name: 'test', command: ' \n ' }], 'checks.0.command', ''],
    ['NUL in a command', [{ name: 'test', command: 'a\u0000b' }], 'checks.0.command', 'control'],
    [
      'an escape in a command',
      [{ name: 'test', command: 'a\u001b[2Kb' }],
      'checks.0.command',
      'control',
    ],
    ['a carriage return', [{ name: 'test', command: 'a\r\nb' }], 'checks.0.command', 'control'],
    ['too short a time', [{ ...checks[0], timeout_ms: 999 }], 'checks.0.timeout_ms', '1000'],
    [
      'too long a time',
      [{ ...checks[0], timeout_ms: 3_600_001 }],
      'checks.0.timeout_ms',
      '3600000',
    ],
    ['a part of a millisecond', [{ ...checks[0], timeout_ms: 1_000.5 }], 'checks.0.timeout_ms', ''],
    [
      'too many',
      Array.from({ length: 21 }, (_, at) => ({ name: `c${at}`, command: 'true' })),
      'checks',
      '20',
    ],
  ])('refuse %s in checks, and name the place', async (_what, refused, path, words) => {
    const route = { ...added, checks: refused };
    const posted = await fixture.call('POST', '/api/v1/setup/repo-route', route);
    expect([posted.status, posted.body]).toMatchObject([
      400,
      { details: [{ path, message: expect.stringContaining(words) }] },
    ]);
    const whole = await fixture.call('PUT', '/api/v1/config/overlay', { repos: [base, route] });
    expect([whole.status, whole.body]).toMatchObject([
      400,
      { details: [{ path: `repos.1.${path}`, message: expect.stringContaining(words) }] },
    ]);
    expect((await fixture.config.load()).repos).toEqual([base]);
  });
});

describe('repository routes that were stored before they were refused', () => {
  const url = 'https://h/app.git';
  const repos = `repos: [{ prefix: SY-, url: "${url}" }, { prefix: sy-, url: "https://h/b.git" },
    { label: next, url: "${url}", default_branch: a..b }]`;
  let fixture: ConfigApp;
  beforeEach(async () => {
    const baseFile = { name: 'switchyard.yaml', format: 'yaml', text: repos } as const;
    fixture = await createConfigApp({ baseFile });
  });
  afterEach(() => fixture.close());

  it('stay in force and are named, and stop nothing else', async () => {
    expect((await fixture.config.load()).repos).toHaveLength(3);
    expect(fixture.config.problems()).toMatchObject([
      {
        source: 'base',
        path: 'repos.1.prefix',
        severity: 'warning',
        blocksDispatch: false,
        message: expect.stringContaining(url),
      },
      { path: 'repos.2.default_branch', severity: 'warning', blocksDispatch: false },
    ]);
    const other = await fixture.call('PUT', '/api/v1/config/overlay', { max_concurrent: 2 });
    expect(other.status).toBe(200);
  });

  it('can be mended one by one', async () => {
    const added = { prefix: 'OPS-', url };
    expect((await fixture.call('POST', '/api/v1/setup/repo-route', added)).status).toBe(201);
    await fixture.config.load();
    expect(fixture.config.problems()).toMatchObject([{ source: 'overlay' }, {}]);
    const worse = { ...added, prefix: 'Sy-' };
    expect((await fixture.call('POST', '/api/v1/setup/repo-route', worse)).status).toBe(400);
    for (const index of [0, 1]) {
      // oxlint-disable-next-line no-await-in-loop
      const { status } = await fixture.call('DELETE', `/api/v1/setup/repo-route/${index}`);
      expect(status).toBe(200);
    }
    await fixture.config.load();
    expect(fixture.config.problems()).toEqual([]);
  });
});
