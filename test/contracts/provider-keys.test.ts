import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { SetupOverview } from '@switchyard/shared/api/admin/setup';
import { afterEach, describe, expect, it } from 'vitest';
import type { CoreWorld } from '../support/core/core-world.ts';
import { useCoreWorlds } from '../support/core/use-core-worlds.ts';

const LOCAL = { remoteAddress: '127.0.0.1' };
const make = useCoreWorlds();
const open: { close(): Promise<unknown> }[] = [];
afterEach(async () => {
  for (const each of open.splice(0)) await each.close();
});

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
  return { status: response.status, text };
}

/** An endpoint that keeps what it was sent. */
async function startEndpoint(answer: (response: ServerResponse) => void = listOf('model-here')) {
  const seen: IncomingHttpHeaders[] = [];
  const server = createServer((request, response) => {
    seen.push(request.headers);
    answer(response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  open.push({ close: () => new Promise((resolve) => server.close(resolve)) });
  return { baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, seen };
}
function listOf(...ids: string[]) {
  return (response: ServerResponse) =>
    void response.end(JSON.stringify({ data: ids.map((id) => ({ id })) }));
}

/** Somebody means it: the settings lead the present key to another address, by name. */
async function sendKeyTo(world: CoreWorld, baseUrl: string): Promise<void> {
  const { provider } = (await world.deps.config.load()).engine;
  const { status } = await call(world, 'PATCH /config/overlay/engine.provider', {
    value: { ...provider, baseUrl },
  });
  expect(status).toBe(200);
}

describe('a key of an address', () => {
  it('stays its own after the address was changed in the settings and given another key', async () => {
    const world = await make();
    const [first, second, third] = [
      await startEndpoint(),
      await startEndpoint(),
      await startEndpoint(),
    ];
    const connect = (baseUrl: string, apiKey?: string) =>
      call(world, 'POST /setup/provider', { baseUrl, model: 'model-here', apiKey });
    await connect(first.baseUrl, 'sk-of-the-first');
    await connect(second.baseUrl, 'sk-of-the-second');
    await connect(first.baseUrl);
    await sendKeyTo(world, third.baseUrl);
    await connect(third.baseUrl, 'sk-of-the-third');
    await connect(first.baseUrl);
    expect(first.seen.at(-1)?.authorization).toBe('Bearer sk-of-the-first');
    expect(JSON.stringify(first.seen)).not.toContain('sk-of-the-third');
  });

  it('is not remembered for another one to which the settings had sent it', async () => {
    const world = await make();
    const [first, second, third] = [
      await startEndpoint(),
      await startEndpoint(),
      await startEndpoint(),
    ];
    const connect = (baseUrl: string, apiKey?: string) =>
      call(world, 'POST /setup/provider', { baseUrl, model: 'model-here', apiKey });
    await connect(first.baseUrl, 'sk-of-the-first');
    await connect(second.baseUrl);
    await connect(first.baseUrl);
    await sendKeyTo(world, third.baseUrl);
    await connect(second.baseUrl);
    await connect(third.baseUrl);
    expect(third.seen).toHaveLength(1);
    expect(third.seen[0]?.authorization).toBeUndefined();
  });

  it('is not taken to the address that somebody else left meanwhile', async () => {
    const world = await make();
    let meanwhile = async () => {};
    const first = await startEndpoint((response) => {
      void meanwhile().then(() => listOf('model-here')(response));
    });
    const second = await startEndpoint();
    const connect = (baseUrl: string, apiKey?: string) =>
      call(world, 'POST /setup/provider', { baseUrl, model: 'model-here', apiKey });
    await connect(first.baseUrl, 'sk-of-the-first');
    meanwhile = async () => {
      meanwhile = async () => {};
      await connect(second.baseUrl, 'sk-of-the-second');
    };
    expect(await connect(first.baseUrl)).toMatchObject({ status: 409 });
    const { provider } = (await world.deps.config.load()).engine;
    expect(provider.baseUrl).toBe(second.baseUrl);
    expect(await connect(first.baseUrl)).toMatchObject({ status: 200 });
    expect(JSON.stringify(first.seen)).not.toContain('sk-of-the-second');
  });

  it('that is a word of a model’s name leaves the names as they are', async () => {
    const world = await make();
    const { baseUrl } = await startEndpoint(listOf('ollama/llama', 'model-here'));
    const { text } = await call(world, 'POST /setup/provider', {
      baseUrl,
      apiKey: 'ollama',
      model: 'ollama/llama',
    });
    expect(JSON.parse(text)).toMatchObject({
      check: { ok: true, warnings: [], models: ['ollama/llama', 'model-here'] },
    });
  });

  it('is not repeated by who sends it on or lists it as a model', async () => {
    const world = await make();
    const key = 'sk-of-this-address-0123456789';
    const on = await startEndpoint((response) => {
      response.writeHead(302, { Location: `http://127.0.0.1:9/?key=${key}` }).end();
    });
    const { status, text } = await call(world, 'POST /setup/provider/models', {
      baseUrl: on.baseUrl,
      apiKey: key,
    });
    expect(status).toBe(502);
    expect(text).not.toContain(key);
    const echo = await startEndpoint(listOf(key, `model-${key}`, 'model-here'));
    const listed = await call(world, 'POST /setup/provider/models', {
      baseUrl: echo.baseUrl,
      apiKey: key,
    });
    expect(JSON.parse(listed.text)).toMatchObject({ models: ['model-here'] });
  });

  it('in the environment is not copied, and used again where it belongs', async () => {
    const hosted = await startEndpoint();
    const world = await make({
      SERVICE_CONFIG__engine__provider__baseUrl: hosted.baseUrl,
      SERVICE_CONFIG__engine__provider__apiKey: 'sk-from-the-environment',
    });
    const other = await startEndpoint();
    await call(world, 'POST /setup/provider', { baseUrl: other.baseUrl, model: 'model-here' });
    expect(JSON.parse((await call(world, 'GET /secrets')).text)).toMatchObject({ keys: [] });
    const back = await call(world, 'POST /setup/provider', { baseUrl: hosted.baseUrl });
    expect(back.status).toBe(200);
    expect(hosted.seen.at(-1)?.authorization).toBe('Bearer sk-from-the-environment');
    expect((await world.deps.config.load()).engine.provider.apiKey).toBe('sk-from-the-environment');
    expect(JSON.stringify(other.seen)).not.toContain('sk-from-the-environment');
  });

  it('in the environment is that of the hosted provider, to which one can go back', async () => {
    const world = await make({
      SERVICE_CONFIG__engine__provider__baseUrl: 'https://api.openai.com/v1',
      SERVICE_CONFIG__engine__provider__apiKey: 'sk-from-the-environment',
    });
    const other = await startEndpoint();
    await call(world, 'POST /setup/provider', { baseUrl: other.baseUrl, model: 'model-here' });
    const { provider } = JSON.parse((await call(world, 'GET /setup')).text) as SetupOverview;
    expect(provider.hasKey).toBe(false);
    expect(provider.formats.map(({ hosted }) => hosted.hasKey)).toEqual([true, true, false, false]);
  });

  it('that is literal in the overlay becomes the secret of its address', async () => {
    const world = await make();
    const [first, other] = [await startEndpoint(), await startEndpoint()];
    const value = { baseUrl: first.baseUrl, apiKey: 'sk-in-the-overlay' };
    await call(world, 'PATCH /config/overlay/engine.provider', { value });
    await call(world, 'POST /setup/provider', { baseUrl: other.baseUrl, model: 'model-here' });
    await call(world, 'POST /setup/provider', { baseUrl: first.baseUrl });
    expect(first.seen.at(-1)?.authorization).toBe('Bearer sk-in-the-overlay');
    expect(JSON.stringify(other.seen)).not.toContain('sk-in-the-overlay');
    const { text } = await call(world, 'GET /config/overlay');
    expect(text).not.toContain('[redacted]');
  });
});

it('a provider in the open that was set up without a key lacks none', async () => {
  const world = await make();
  const { status } = await call(world, 'POST /setup/provider', {
    baseUrl: 'http://models.test.invalid/v1',
    model: 'model-here',
    unchecked: true,
  });
  expect(status).toBe(200);
  const { steps } = JSON.parse((await call(world, 'GET /setup')).text) as SetupOverview;
  // It waits for a look, not for a key.
  expect(steps.find(({ step }) => step === 'provider')).not.toMatchObject({ state: 'todo' });
});
