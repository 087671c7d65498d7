import { describe, expect, it } from 'vitest';
import { setSecret } from '../../control-plane/src/config/secrets/set-secret.ts';
import { type CoreWorld, PERSON } from '../support/core/core-world.ts';
import { useCoreWorlds } from '../support/core/use-core-worlds.ts';

const make = useCoreWorlds();
const OVERLAY = '/api/v1/config/overlay';
const OLD = 'https://old.test/v1';
const NEW = 'https://new.test/v1';

type Answered = {
  status: number;
  body: Record<string, Record<string, unknown>> & { error: string };
};

async function call(
  world: CoreWorld,
  method: string,
  path: string,
  body?: unknown,
): Promise<Answered> {
  const response = await world.core.app.request(
    path,
    {
      method,
      headers: { Host: 'localhost', 'Content-Type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    },
    { remoteAddress: '127.0.0.1' },
  );
  return { status: response.status, body: await response.json() };
}

const patch = (world: CoreWorld, path: string, value: unknown) =>
  call(world, 'PATCH', `${OVERLAY}/${path}`, { value });
const provider = async (world: CoreWorld) => (await world.deps.config.load()).engine.provider;

/** No other layer has a key. */
const NO_KEY = { SERVICE_CONFIG__engine__provider__apiKey: '' };

/** A provider with its key, as a secret under the name that the wizard uses. */
async function connected(): Promise<CoreWorld> {
  const world = await make(NO_KEY);
  await setSecret(world.deps, {
    caller: PERSON,
    key: 'ENGINE_API_KEY',
    value: 'sk-of-the-old-one',
  });
  const value = { baseUrl: OLD, apiKey: '$SECRET:ENGINE_API_KEY' };
  expect((await patch(world, 'engine.provider', value)).status).toBe(200);
  return world;
}

const MOVED = {
  status: 422,
  body: {
    code: 'key_of_other_host',
    details: [{ path: 'engine.provider.baseUrl', message: 'its key is that of another host' }],
  },
};

describe('the key of a model provider', () => {
  it('is not led to another host by a change of the address alone, which is refused with what to do', async () => {
    const world = await connected();
    const refused = await patch(world, 'engine.provider.baseUrl', NEW);
    expect(refused).toMatchObject(MOVED);
    for (const words of [
      'https://old.test',
      'https://new.test',
      'in one change',
      'engine.provider',
    ])
      expect(refused.body.error).toContain(words);
    expect(await provider(world)).toMatchObject({ baseUrl: OLD });
  });

  it('nor by the whole configuration, in which it is repeated', async () => {
    const world = await connected();
    const { body } = await call(world, 'GET', OVERLAY);
    const overlay = { ...body, 'engine.provider': { ...body['engine.provider'], baseUrl: NEW } };
    expect(await call(world, 'PUT', OVERLAY, overlay)).toMatchObject(MOVED);
    expect(await provider(world)).toMatchObject({ baseUrl: OLD });
  });

  it('nor by what a client was shown in place of it', async () => {
    const world = await connected();
    await patch(world, 'engine.provider.apiKey', 'sk-literal');
    const value = { baseUrl: NEW, apiKey: '[redacted]' };
    expect(await patch(world, 'engine.provider', value)).toMatchObject(MOVED);
  });

  it('nor by taking the address away, in whatever spelling', async () => {
    const world = await connected();
    await patch(world, 'engine.provider.apiKey', '$SECRET:ENGINE_API_KEY');
    expect(await call(world, 'DELETE', `${OVERLAY}/engine.provider.base_url`)).toMatchObject(MOVED);
    // Without a setting the login's secret stands for the key, and this is its name.
    expect(await call(world, 'DELETE', `${OVERLAY}/engine.provider`)).toMatchObject(MOVED);
  });

  it('goes along when the change names it, and another one or none may be given', async () => {
    const world = await connected();
    const same = { baseUrl: NEW, apiKey: '$SECRET:ENGINE_API_KEY' };
    expect((await patch(world, 'engine.provider', same)).status).toBe(200);
    expect((await patch(world, 'engine.provider', { baseUrl: OLD, apiKey: null })).status).toBe(
      200,
    );
    expect((await patch(world, 'engine.provider.baseUrl', NEW)).status).toBe(200);
    expect((await patch(world, 'engine.provider.apiKey', 'sk-new')).status).toBe(200);
  });

  it('goes along with a whole configuration that names it for the first time', async () => {
    const world = await make(NO_KEY);
    const value = 'sk-of-the-new-one';
    await setSecret(world.deps, { caller: PERSON, key: 'ENGINE_API_KEY', value });
    const overlay = { engine: { provider: { baseUrl: NEW, apiKey: '$SECRET:ENGINE_API_KEY' } } };
    expect((await call(world, 'PUT', OVERLAY, overlay)).status).toBe(200);
    expect(await provider(world)).toMatchObject({ baseUrl: NEW });
  });

  it('may get another path of its host', async () => {
    const world = await connected();
    expect((await patch(world, 'engine.provider.baseUrl', 'https://old.test/v2')).status).toBe(200);
  });

  it('binds nothing before it is stored', async () => {
    const world = await make(NO_KEY);
    expect((await patch(world, 'engine.provider.baseUrl', NEW)).status).toBe(200);
    expect((await patch(world, 'engine.provider.baseUrl', OLD)).status).toBe(200);
  });

  it('of the environment is not uncovered at another address', async () => {
    const world = await make({
      SERVICE_CONFIG__engine__provider__baseUrl: OLD,
      SERVICE_CONFIG__engine__provider__apiKey: 'sk-from-the-environment',
    });
    await patch(world, 'engine.provider', { baseUrl: NEW, apiKey: null });
    const uncovered = await call(world, 'DELETE', `${OVERLAY}/engine.provider.apiKey`);
    expect(uncovered).toMatchObject(MOVED);
    const back = await call(world, 'DELETE', `${OVERLAY}/engine.provider`);
    expect(back.status).toBe(200);
    expect(await provider(world)).toMatchObject({
      baseUrl: OLD,
      apiKey: 'sk-from-the-environment',
    });
  });
});

describe('other keys with an address beside them', () => {
  it('stay at their host: an account of a provider, whatever its place in the list', async () => {
    const world = await connected();
    const key = { caller: PERSON, key: 'SPARE', value: 'sk-spare' };
    await setSecret(world.deps, key);
    const account = (name: string, baseUrl: string) => ({
      name,
      provider: { baseUrl, apiKey: '$SECRET:SPARE' },
    });
    expect((await patch(world, 'engine.accounts', [account('spare', OLD)])).status).toBe(200);
    const moved = [account('first', OLD), account('spare', NEW)];
    expect(await patch(world, 'engine.accounts', moved)).toMatchObject({
      status: 422,
      body: { details: [{ path: 'engine.accounts.1.provider.baseUrl' }] },
    });
  });

  it.each([
    ['tracker.linear', 'apiKey', 'https://linear.evil.test/graphql'],
    ['tracker.github', 'apiKey', 'https://github.evil.test/api'],
    ['codehost.github', 'token', 'https://github.evil.test/api'],
  ])('stay at their host: %s.%s', async (parent, key, endpoint) => {
    const world = await make();
    expect((await patch(world, `${parent}.${key}`, 'literal-token-of-its-host')).status).toBe(200);
    expect(await patch(world, `${parent}.endpoint`, endpoint)).toMatchObject({
      status: 422,
      body: { details: [{ path: `${parent}.endpoint` }] },
    });
    const both = { endpoint, [key]: 'literal-token-of-the-other' };
    expect((await patch(world, parent, both)).status).toBe(200);
  });

  it('stay at the host of the code host where the tracker has none of its own', async () => {
    const world = await make();
    const key = 'literal-token-of-its-host';
    expect((await patch(world, 'tracker.github.apiKey', key)).status).toBe(200);
    const moved = { endpoint: 'https://github.evil.test/api', token: 'literal-token-of-the-other' };
    expect(await patch(world, 'codehost.github', moved)).toMatchObject({
      status: 422,
      body: { details: [{ path: 'tracker.github.endpoint' }] },
    });
  });

  it('may be told where the pages of their host are', async () => {
    const world = await make();
    const host = { endpoint: 'https://github.own.test/api/v3', token: 'literal-token-of-its-host' };
    expect((await patch(world, 'codehost.github', host)).status).toBe(200);
    const pages = await patch(world, 'codehost.github.url', 'https://github.own.test');
    expect(pages.status).toBe(200);
  });

  it('are named where a list holds them, which a change can only replace', async () => {
    const world = await connected();
    await setSecret(world.deps, { caller: PERSON, key: 'SPARE', value: 'sk-spare' });
    const account = (baseUrl: string) => [
      { name: 'spare', provider: { baseUrl, apiKey: '$SECRET:SPARE' } },
    ];
    expect((await patch(world, 'engine.accounts', account(OLD))).status).toBe(200);
    const { body } = await patch(world, 'engine.accounts', account(NEW));
    expect(body.error).not.toContain('set engine.accounts.0');
    expect(body.error).toContain('under another name');
  });
});
