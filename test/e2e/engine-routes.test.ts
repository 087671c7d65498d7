import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fixFailingTest } from '../../control-plane/scripted-provider/ready-scripts.ts';
import { asksQuestion, byPrompt } from '../support/scripted-model/scripts.ts';
import { exec, say } from '../../control-plane/scripted-provider/step.ts';
import { filesWith } from '../support/e2e/files-with.ts';
import { type Bench, startBench } from '../support/e2e/start-bench.ts';
import { type RunningService, startService } from '../support/e2e/start-service.ts';
import { until } from '../support/e2e/until.ts';

const UNKNOWN_THREAD = '019d0000-0000-7000-8000-000000000000';
const ENGINE = '/api/v1/engine';

type Json = Record<string, unknown>;
type ThreadPage = { data: { id: string; name?: string | null }[]; nextCursor: string | null };
type Thread = { thread: { id: string; name: string | null; turns: { items: unknown[] }[] } };

/** Every route with a request that is well formed; `T` stands for a thread. */
const ROUTES: readonly (readonly [string, string, unknown?])[] = [
  ['GET', '/capabilities'],
  ['GET', '/features'],
  ['GET', '/collaboration-modes'],
  ['GET', '/mcp'],
  ['POST', '/mcp/oauth/login', { name: 'docs' }],
  ['POST', '/mcp/reload'],
  ['GET', '/threads'],
  ['GET', '/threads/loaded'],
  ['GET', '/threads/T'],
  ['POST', '/threads/T/fork', {}],
  ['POST', '/threads/T/name', { name: 'A name' }],
  ['POST', '/threads/T/archive'],
  ['POST', '/threads/T/unarchive'],
  ['POST', '/threads/T/unsubscribe'],
  ['GET', '/account'],
  ['GET', '/account/rate-limits'],
  ['POST', '/account/login/start', { type: 'apiKey', apiKey: 'sk-not-to-be-kept' }],
  ['POST', '/account/login/cancel', { loginId: UNKNOWN_THREAD }],
  ['POST', '/account/logout'],
  ['GET', '/requests/user-input'],
  ['POST', '/requests/user-input/req_1/respond', { result: { answers: { a: ['b'] } } }],
];
const pathOf = (path: string) => `${ENGINE}${path.replace('/T', `/${UNKNOWN_THREAD}`)}`;

describe('the agent engine for operators', () => {
  let bench: Bench;
  let threadId: string;
  beforeAll(async () => {
    const scripts = [
      { match: 'case:question', script: asksQuestion },
      {
        match: 'case:working',
        script: ({ stepIndex }: { stepIndex: number }) =>
          stepIndex === 0 ? exec('sleep 300', 400_000) : say('Done.\n\nSWITCHYARD_STATUS: DONE'),
      },
    ];
    bench = await startBench({
      script: byPrompt(scripts, fixFailingTest()),
      slots: 2,
      config: { 'engine.requestTimeoutMs': 20_000 },
    });
    const { identifier } = await bench.client.createIssue({ title: 'Repair it' });
    const issue = await bench.client.settled(identifier);
    threadId = issue.attempts[0]?.threadId ?? '';
  });
  afterAll(() => bench?.close());

  const get = <T = Json>(path: string) => bench.client.must<T>('GET', `/engine${path}`);
  const post = <T = Json>(path: string, body?: unknown) =>
    bench.client.must<T>('POST', `/engine${path}`, body);
  const status = async (method: string, path: string, body?: unknown) =>
    (await bench.client.ask(method, `${ENGINE}${path}`, body)).status;

  it('says what it is and can do', async () => {
    expect(await get('/capabilities')).toMatchObject({
      engine: { name: 'codex', version: expect.stringMatching(/^\d+\.\d+/) },
      capabilities: expect.any(Object),
      features: { shell_tool: true, apps: false },
      runnerId: expect.stringMatching(/^run_/),
    });
    const modes = await get<{ data: { name: string }[] }>('/collaboration-modes');
    expect(modes.data.map(({ name }) => name)).toEqual(expect.arrayContaining(['Plan', 'Default']));
  });

  it('pages through features', async () => {
    const first = await get<{ data: unknown[]; nextCursor: string }>('/features?limit=2');
    expect(first.data).toHaveLength(2);
    const next = await get<{ data: unknown[] }>(`/features?limit=2&cursor=${first.nextCursor}`);
    expect(next.data[0]).not.toEqual(first.data[0]);
    expect(await status('GET', '/features?cursor=nonsense')).toBe(400);
    expect(await status('GET', '/features?limit=0')).toBe(400);
  });

  it('lists MCP servers, reads their configuration again, and refuses an unknown one', async () => {
    expect(await get('/mcp')).toMatchObject({ data: [] });
    expect(await post('/mcp/reload')).toMatchObject({ runnerId: expect.any(String) });
    expect(await status('POST', '/mcp/oauth/login', { name: 'docs' })).toBe(502);
    expect(await status('POST', '/mcp/oauth/login', {})).toBe(400);
  });

  it('lists and shows the threads that attempts left', async () => {
    const { data } = await get<ThreadPage>('/threads?sortKey=updated_at&limit=50');
    expect(data.map(({ id }) => id)).toContain(threadId);
    const { thread } = await get<Thread>(`/threads/${threadId}?includeTurns=true`);
    expect(thread.id).toBe(threadId);
    expect(JSON.stringify(thread.turns)).toContain('Repair it');
    expect((await get<Thread>(`/threads/${threadId}`)).thread.turns).toEqual([]);
    const none = await get<ThreadPage>('/threads?modelProviders=nobody');
    expect(none.data).toEqual([]);
    const kinds = await get<ThreadPage>('/threads?sourceKinds=vscode,exec&archived=false');
    expect(kinds.data.map(({ id }) => id)).toContain(threadId);
    for (const bad of ['sortKey=nope', 'sourceKinds=nope', 'archived=maybe', 'cursor=nope']) {
      expect(await status('GET', `/threads?${bad}`), bad).toBe(400);
    }
  });

  it('forks, names, archives and unarchives a thread', async () => {
    const fork = (await post<Thread>(`/threads/${threadId}/fork`)).thread;
    expect(fork.id).not.toBe(threadId);
    const loaded = await get<{ data: string[] }>('/threads/loaded');
    expect(loaded.data).toContain(fork.id);
    await post(`/threads/${fork.id}/name`, { name: 'Second try' });
    expect((await get<Thread>(`/threads/${fork.id}`)).thread.name).toBe('Second try');
    await post(`/threads/${fork.id}/archive`);
    const archived = await get<ThreadPage>('/threads?archived=true');
    expect(archived.data.map(({ id }) => id)).toContain(fork.id);
    expect(await status('POST', `/threads/${fork.id}/archive`)).toBe(404);
    const back = await post<Thread>(`/threads/${fork.id}/unarchive`);
    expect(back.thread.id).toBe(fork.id);
    expect(await post(`/threads/${fork.id}/unsubscribe`)).toMatchObject({
      status: expect.stringMatching(/^(unsubscribed|notSubscribed|notLoaded)$/),
    });
    expect(await status('POST', `/threads/${threadId}/name`, { name: '  ' })).toBe(400);
    expect(await status('POST', `/threads/${threadId}/fork`, { lastTurnId: 'nope' })).toBe(400);
    expect(await status('POST', `/threads/${threadId}/fork`, { more: 1 })).toBe(400);
  });

  it('answers 404 for a thread that there is none of', async () => {
    for (const [method, path, body] of ROUTES.filter(([, path]) => path.includes('/T'))) {
      if (path.endsWith('/unsubscribe')) continue;
      const answer = await bench.client.ask(method, pathOf(path), body);
      expect([path, answer.status], JSON.stringify(answer.body)).toEqual([path, 404]);
    }
    expect(await status('GET', '/threads/not%20one')).toBe(404);
  });

  it('tells the account, and limits only of one that has some', async () => {
    expect(await get('/account')).toMatchObject({ account: { type: 'apiKey' } });
    expect(await status('GET', '/account/rate-limits')).toBe(502);
  });

  it('keeps the key of a login as a secret that nobody sees', async () => {
    const apiKey = 'sk-login-0123456789-only-here';
    const { body } = await bench.client.ask('POST', `${ENGINE}/account/login/start`, {
      type: 'apiKey',
      apiKey,
    });
    expect(body).toMatchObject({ type: 'apiKey', secret: 'ENGINE_API_KEY', used: false });
    expect(JSON.stringify(body)).not.toContain(apiKey);
    const { keys } = await bench.client.must<{ keys: string[] }>('GET', '/secrets');
    expect(keys).toContain('ENGINE_API_KEY');
    expect(bench.service.output()).not.toContain(apiKey);
    expect(await filesWith(join(bench.folder, 'data'), apiKey)).toEqual([]);
    expect(JSON.stringify(await bench.client.audit())).not.toContain(apiKey);
    await post('/account/logout');
    const after = await bench.client.must<{ keys: string[] }>('GET', '/secrets');
    expect(after.keys).not.toContain('ENGINE_API_KEY');
    for (const bad of [{ type: 'apiKey' }, { type: 'chatgpt', apiKey }, { type: 'nope' }, {}]) {
      const answer = await bench.client.ask('POST', `${ENGINE}/account/login/start`, bad);
      expect(answer.status, JSON.stringify(bad)).toBe(400);
      expect(JSON.stringify(answer.body)).not.toContain(apiKey);
    }
  });

  it('begins and cancels a login that a person completes in a browser', async () => {
    const login = await post<{ loginId: string; authUrl: string }>('/account/login/start', {
      type: 'chatgpt',
    });
    expect(login.authUrl).toMatch(/^https:/);
    const { loginId } = login;
    expect(await post('/account/login/cancel', { loginId })).toMatchObject({ status: 'canceled' });
    expect(await post('/account/login/cancel', { loginId })).toMatchObject({ status: 'notFound' });
    expect(await status('POST', '/account/login/cancel', { loginId: 'nope' })).toBe(400);
  });

  it('lists models of engine and provider, the one in use first', async () => {
    const { models } = await bench.client.must<{ models: { id: string; sources: string[] }[] }>(
      'GET',
      '/models',
    );
    expect(models[0]).toMatchObject({ id: 'scripted-model', isDefault: true });
    expect(models.flatMap(({ sources }) => sources)).toContain('provider');
  });

  it('holds no key of the provider, and only one engine', async () => {
    await get('/capabilities');
    const home = join(bench.folder, 'data', 'runner', 'operator');
    const folders = [home, join(bench.folder, 'data')];
    expect(await filesWith(folders[0] ?? '', bench.apiKey)).toEqual([]);
    const engines = (await bench.service.processes()).filter(
      ({ command }) => / app-server /.test(` ${command} `) && !/\bsh\b|dead-man/.test(command),
    );
    expect(engines).toHaveLength(1);
  });

  it('writes an audit entry for each change', async () => {
    const operations = (await bench.client.audit()).map(({ operation }) => operation);
    for (const operation of [
      'engine.thread.fork',
      'engine.thread.name',
      'engine.thread.archive',
      'engine.mcp.reload',
      'secret.set',
      'engine.account.logout',
    ]) {
      expect(operations).toContain(operation);
    }
  });

  it('passes questions on to people and their answers back', async () => {
    const { identifier } = await bench.client.createIssue({ title: 'case:question' });
    const page = () =>
      get<{ requests: { requestId: string; identifier: string; questions: { id: string }[] }[] }>(
        '/requests/user-input',
      );
    const found = await until(
      async () => (await page()).requests.find((one) => one.identifier === identifier) ?? null,
      (one) => one !== null,
      { what: 'a question', timeoutMs: 60_000 },
    );
    const path = `/requests/user-input/${found?.requestId}/respond`;
    const id = found?.questions[0]?.id ?? '';
    expect(await status('POST', path, { result: { answers: { other: ['x'] } } })).toBe(400);
    expect(await status('POST', path, { answers: {} })).toBe(400);
    const given = { result: { answers: { [id]: { answers: ['Blue'] } } } };
    expect(await status('POST', path, given)).toBe(202);
    expect(await status('POST', path, given)).toBe(409);
    expect(await status('POST', '/requests/user-input/req_none/respond', given)).toBe(404);
    await bench.client.settled(identifier);
  });

  it('asks the engine of the attempt that works on a thread, without disturbing it', async () => {
    const { identifier } = await bench.client.createIssue({ title: 'case:working' });
    const attempt = await bench.client.commandRunning(identifier);
    const live = (await bench.client.attempt(attempt.attemptId)).threadId ?? '';
    const { thread } = await get<Thread>(`/threads/${live}?includeTurns=true`);
    expect(JSON.stringify(thread.turns)).toContain('case:working');
    expect((await get<{ data: string[] }>('/threads/loaded')).data).toContain(live);
    for (const verb of ['archive', 'unarchive', 'unsubscribe']) {
      expect(await status('POST', `/threads/${live}/${verb}`), verb).toBe(409);
    }
    const fork = (await post<Thread>(`/threads/${live}/fork`)).thread;
    expect(fork.id).not.toBe(live);
    await bench.client.must('POST', `/${identifier}/abort`);
    await bench.client.settled(identifier);
  });

  it('answers 404 for a runner that there is none of and 405 for another method', async () => {
    expect(await status('GET', '/capabilities?runner=run_none')).toBe(404);
    expect(await status('DELETE', '/capabilities')).toBe(405);
  });
});

describe('the agent engine for operators, without a runner', () => {
  let service: RunningService;
  let dataDir: string;
  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'swy-e2e-'));
    service = await startService({ dataDir, args: ['--no-runner'] });
  });
  afterAll(async () => {
    await service?.kill();
    await rm(dataDir, { recursive: true, force: true, maxRetries: 3 });
  });

  it('is not available on any route', async () => {
    for (const [method, path, body] of ROUTES) {
      const answer = await service.client.ask(method, pathOf(path), body);
      expect([path, answer.status]).toEqual([path, 503]);
    }
    expect((await service.client.ask('GET', '/api/v1/models')).status).toBe(503);
    const { body } = await service.client.ask('GET', '/api/v1/secrets');
    expect(body).toMatchObject({ keys: [] });
  });
});
