import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { SetupOverview } from '@switchyard/shared/api/admin/setup';
import { afterEach, describe, expect, it } from 'vitest';
import {
  type ScriptedProvider,
  type ScriptedProviderOptions,
  startScriptedProvider,
} from '../../control-plane/scripted-provider/scripted-provider.ts';
import type { CoreWorld } from '../support/core/core-world.ts';
import { useCoreWorlds } from '../support/core/use-core-worlds.ts';

const LOCAL = { remoteAddress: '127.0.0.1' };
const KEY = 'sk-of-this-provider';
const MODELS = ['model-big', 'model-small'];
const HOSTED = {
  SERVICE_CONFIG__engine__provider__baseUrl: 'https://api.openai.com/v1',
  SERVICE_CONFIG__engine__provider__apiKey: '',
};
const FORMATS = ['responses', 'chat', 'messages', 'gemini'] as const;
type Format = (typeof FORMATS)[number];

const make = useCoreWorlds();
const open: { close(): Promise<unknown> }[] = [];
afterEach(async () => {
  for (const each of open.splice(0)) await each.close();
});

async function start(options: Partial<ScriptedProviderOptions> = {}): Promise<ScriptedProvider> {
  const provider = await startScriptedProvider({
    script: [],
    apiKey: KEY,
    models: MODELS,
    ...options,
  });
  open.push(provider);
  return provider;
}

async function call(world: CoreWorld, at: string, body?: unknown) {
  const [method = '', path = ''] = at.split(' ');
  const sent = body === undefined ? {} : { body: JSON.stringify(body) };
  const headers = { Host: 'localhost', 'Content-Type': 'application/json' };
  const response = await world.core.app.request(
    `/api/v1${path}`,
    { method, headers, ...sent },
    LOCAL,
  );
  const text = await response.text();
  const parsed = (text === '' ? {} : JSON.parse(text)) as Record<string, unknown>;
  return { status: response.status, body: parsed };
}
const setupOf = async (world: CoreWorld) =>
  (await call(world, 'GET /setup')).body as unknown as SetupOverview;
const keysOf = async (world: CoreWorld) =>
  (await call(world, 'GET /secrets')).body['keys'] as string[];

/** Base address as its publisher gives it: with the version of the format. */
const addressOf = ({ origin }: ScriptedProvider, wireApi: Format) =>
  `${origin}/${wireApi === 'gemini' ? 'v1beta' : 'v1'}`;
/** An engine for each format; the default one speaks the first only. */
const connection = (provider: ScriptedProvider, wireApi: Format) => ({
  baseUrl: addressOf(provider, wireApi),
  wireApi,
  engine: 'opencode',
  model: 'model-big',
  apiKey: KEY,
});

/** A provider that keeps what it was sent. */
async function startRecorder(): Promise<{ baseUrl: string; seen: IncomingHttpHeaders[] }> {
  const seen: IncomingHttpHeaders[] = [];
  const server: Server = createServer((request, response) => {
    seen.push(request.headers);
    response.end(JSON.stringify({ data: [{ id: 'model-here' }] }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  open.push({ close: () => new Promise((resolve) => server.close(resolve)) });
  return { baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, seen };
}

describe.each(FORMATS)('a provider that speaks %s', (wireApi) => {
  it('is asked for its models before and as it is set, and looked at in the same way', async () => {
    const [world, provider] = [await make(), await start()];
    const { engine: _engine, model: _model, ...asked } = connection(provider, wireApi);
    const listed = await call(world, 'POST /setup/provider/models', asked);
    expect(listed).toMatchObject({ status: 200, body: { wireApi, models: MODELS } });
    expect(await keysOf(world)).toEqual([]);
    const set = await call(world, 'POST /setup/provider', connection(provider, wireApi));
    expect(set).toMatchObject({
      status: 200,
      body: { wireApi, check: { ok: true, warnings: [] } },
    });
    const check = await call(world, 'POST /setup/check', { step: 'provider' });
    expect(check.body).toMatchObject({ ok: true, warnings: [], models: MODELS });
    expect((await setupOf(world)).provider).toMatchObject({
      wireApi,
      baseUrl: addressOf(provider, wireApi),
      model: 'model-big',
      hasKey: true,
      engine: 'opencode',
      warning: null,
    });
  });

  it('that refuses the key is told in its words, and nothing is kept', async () => {
    const [world, provider] = [await make(), await start()];
    const wrong = { ...connection(provider, wireApi), apiKey: 'sk-other' };
    for (const at of ['POST /setup/provider', 'POST /setup/provider/models']) {
      const { engine, model, ...rest } = wrong;
      const body = at.endsWith('models') ? rest : { ...rest, engine, model };
      // oxlint-disable-next-line no-await-in-loop
      const refused = await call(world, at, body);
      expect(refused.status).toBe(502);
      expect(refused.body['error']).toMatch(/API key|x-api-key/);
      expect(JSON.stringify(refused.body)).not.toContain('sk-other');
    }
    expect(await keysOf(world)).toEqual([]);
    expect((await setupOf(world)).provider.baseUrl).not.toBe(addressOf(provider, wireApi));
  });
});

describe('a list of several pages', () => {
  it.each(['messages', 'gemini'] as const)('is read to its end, in %s', async (wireApi) => {
    const models = Array.from({ length: 1_200 }, (_, at) => `model-${at}`);
    const [world, provider] = [await make(), await start({ models })];
    const { engine: _engine, model: _model, ...asked } = connection(provider, wireApi);
    const { body } = await call(world, 'POST /setup/provider/models', asked);
    expect(body['models']).toEqual(models);
  });
});

describe('a model that the provider does not list', () => {
  it('may be used, and the warning stays until the model changes', async () => {
    const [world, provider] = [await make(), await start()];
    const { engine: _engine, ...given } = connection(provider, 'responses');
    const misspelt = { ...given, model: 'model-bgi' };
    const { status, body } = await call(world, 'POST /setup/provider', misspelt);
    expect(status).toBe(200);
    expect(body['check']).toMatchObject({
      ok: true,
      models: MODELS,
      warnings: [expect.stringContaining('model-bgi is not among the 2 models')],
    });
    const warned = async () => (await setupOf(world)).provider.warning;
    expect(await warned()).toContain('model-bgi is not among');
    const { runnerId } = await world.join();
    world.core.sockets.connect(runnerId);
    expect((await call(world, 'GET /engines')).body).toMatchObject({
      engines: [{ advice: expect.stringContaining('model-bgi is not among') as string }],
    });
    await world.restart();
    expect(await warned()).toContain('model-bgi is not among');
    await call(world, 'PATCH /config/overlay/engine.model', { value: 'model-also-wrong' });
    expect(await warned()).toContain('model-also-wrong is not among');
    await call(world, 'PATCH /config/overlay/engine.model', { value: 'model-small' });
    expect(await warned()).toBeNull();
  });

  it('is warned of until the list knows it', async () => {
    const world = await make();
    const models = ['model-old'];
    const provider = await start({ models });
    await call(world, 'POST /setup/provider', {
      ...connection(provider, 'messages'),
      model: 'model-new',
    });
    expect((await setupOf(world)).provider.warning).toContain('is not among the one model');
    models.push('model-new');
    await call(world, 'POST /setup/check', { step: 'provider' });
    expect((await setupOf(world)).provider.warning).toBeNull();
  });

  it('is of another provider once the address is another one', async () => {
    const [world, provider] = [await make(), await start()];
    await call(world, 'POST /setup/provider', {
      ...connection(provider, 'responses'),
      model: 'model-bgi',
    });
    await call(world, 'PATCH /config/overlay/engine.provider', {
      value: { baseUrl: 'http://127.0.0.1:9/v1', apiKey: null },
    });
    expect((await setupOf(world)).provider.warning).toBeNull();
  });
});

describe('a key', () => {
  it('is never sent to another address, neither by the check nor by runners', async () => {
    const [world, provider, other] = [await make(), await start(), await startRecorder()];
    await call(world, 'POST /setup/provider', connection(provider, 'responses'));
    const { status } = await call(world, 'POST /setup/provider', {
      baseUrl: other.baseUrl,
      model: 'model-here',
    });
    expect(status).toBe(200);
    await call(world, 'POST /setup/check', { step: 'provider' });
    expect(other.seen.length).toBeGreaterThan(1);
    expect(JSON.stringify(other.seen)).not.toContain(KEY);
    const { engine } = await world.deps.config.load();
    expect(engine.provider).toMatchObject({ baseUrl: other.baseUrl, apiKey: null });
    expect(world.deps.config.problems()).toEqual([]);
    expect((await setupOf(world)).provider.hasKey).toBe(false);
  });

  it('given in the environment for the hosted provider stays there, too', async () => {
    const apiKey = 'sk-from-the-environment';
    const world = await make({ ...HOSTED, SERVICE_CONFIG__engine__provider__apiKey: apiKey });
    const other = await startRecorder();
    await call(world, 'POST /setup/provider', { baseUrl: other.baseUrl, model: 'model-here' });
    await call(world, 'POST /setup/check', { step: 'provider' });
    expect(JSON.stringify(other.seen)).not.toContain('sk-from-the-environment');
    expect((await world.deps.config.load()).engine.provider.apiKey).toBeNull();
  });

  it('is kept for the hosted provider while another one is used', async () => {
    const world = await make(HOSTED);
    await call(world, 'POST /secrets/ENGINE_API_KEY', { value: 'sk-hosted' });
    const provider = await start();
    await call(world, 'POST /setup/provider', connection(provider, 'messages'));
    const { formats, hasKey } = (await setupOf(world)).provider;
    expect(hasKey).toBe(true);
    expect(formats.map(({ wireApi, hosted }) => [wireApi, hosted.hasKey, hosted.model])).toEqual([
      ['responses', true, 'gpt-5.5'],
      ['chat', true, 'gpt-5.5'],
      ['messages', false, null],
      ['gemini', false, null],
    ]);
    expect(await keysOf(world)).toHaveLength(2);
    expect(await world.deps.resolveSecret('ENGINE_API_KEY')).toBe('sk-hosted');
    await call(world, 'DELETE /secrets/ENGINE_API_KEY');
    expect((await setupOf(world)).provider.formats[0]?.hosted.hasKey).toBe(false);
  });

  it('is used again with its model and format by who goes back to its address', async () => {
    const [world, first] = [await make(HOSTED), await start()];
    const second = await start({ apiKey: 'sk-of-the-second', models: ['other-model'] });
    await call(world, 'POST /setup/provider', connection(first, 'messages'));
    const other = { ...connection(second, 'chat'), apiKey: 'sk-of-the-second' };
    await call(world, 'POST /setup/provider', { ...other, model: 'other-model' });
    for (const [provider, found] of [
      [first, { wireApi: 'messages', model: 'model-big' }],
      [second, { wireApi: 'chat', model: 'other-model' }],
    ] as const) {
      // oxlint-disable-next-line no-await-in-loop
      const back = await call(world, 'POST /setup/provider', { baseUrl: `${provider.url}/` });
      expect(back).toMatchObject({ status: 200, body: { ...found, check: { ok: true } } });
    }
    expect(await keysOf(world)).toHaveLength(2);
  });

  it('of a login does not take the place of another address’s', async () => {
    const [world, other] = [await make(HOSTED), await startRecorder()];
    await call(world, 'POST /secrets/ENGINE_API_KEY', { value: 'sk-hosted' });
    await call(world, 'POST /setup/provider', { baseUrl: other.baseUrl, model: 'model-here' });
    const { runnerId } = await world.join();
    world.core.sockets.connect(runnerId);
    const login = await call(world, 'POST /engine/account/login/start', {
      type: 'apiKey',
      apiKey: 'sk-login',
    });
    expect(login).toMatchObject({ status: 409, body: { code: 'no_key_wanted' } });
    expect(await world.deps.resolveSecret('ENGINE_API_KEY')).toBe('sk-hosted');
    const given = await call(world, 'POST /setup/provider', { apiKey: 'sk-login' });
    expect(given.status).toBe(200);
    expect(await world.deps.resolveSecret('ENGINE_API_KEY')).toBe('sk-hosted');
    expect(other.seen.at(-1)?.authorization).toBe('Bearer sk-login');
  });
});

describe('a format that the agent engine does not speak', () => {
  it('is refused with the engines that do', async () => {
    const [world, provider] = [await make(), await start()];
    const { engine: _engine, ...without } = connection(provider, 'messages');
    const refused = await call(world, 'POST /setup/provider', without);
    expect(refused).toMatchObject({ status: 400, body: { code: 'engine_format' } });
    expect(refused.body['error']).toMatch(/codex does not speak.*choose claude or opencode/);
    const set = await call(world, 'POST /setup/provider', { ...without, engine: 'claude' });
    expect(set.status).toBe(200);
    expect((await world.deps.config.load()).engine.name).toBe('claude');
  });
});

it('shows every format with its hosted provider and its engines', async () => {
  const { formats } = (await setupOf(await make())).provider;
  expect(formats.map(({ wireApi, hosted, engines }) => [wireApi, hosted.baseUrl, engines])).toEqual(
    [
      ['responses', 'https://api.openai.com/v1', ['codex', 'opencode']],
      ['chat', 'https://api.openai.com/v1', ['opencode']],
      ['messages', 'https://api.anthropic.com/v1', ['claude', 'opencode']],
      ['gemini', 'https://generativelanguage.googleapis.com/v1beta', ['opencode']],
    ],
  );
});
