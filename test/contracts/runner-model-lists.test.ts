import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import {
  type ScriptedProvider,
  startScriptedProvider,
} from '../../control-plane/scripted-provider/scripted-provider.ts';
import { hashToken } from '../../runner/src/egress/grant.ts';
import { ProxyServer } from '../../runner/src/egress/proxy-server.ts';
import { providerModels } from '../../runner/src/operator/provider-models.ts';

const KEY = 'sk-of-this-provider';
const TOKEN = 'attempt-token-1';
const MODELS = Array.from({ length: 1_500 }, (_, at) => `model-${at}`);

let folder: string;
let provider: ScriptedProvider;
let proxy: ProxyServer;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'swy-lists-'));
  provider = await startScriptedProvider({ script: [], apiKey: KEY, models: MODELS });
  proxy = new ProxyServer({ now: () => Date.now() });
  await proxy.listen();
});
afterEach(async () => {
  await proxy.close();
  await provider.close();
  await rm(folder, { recursive: true, force: true });
});

it.each([
  ['responses', '/v1'],
  ['chat', '/v1'],
  ['messages', ''],
  ['gemini', '/v1beta'],
] as const)('a runner reads the list of a provider that speaks %s', async (wireApi, path) => {
  await proxy.grant({
    attemptId: 'A1',
    epoch: 1,
    tokenHash: hashToken(TOKEN),
    upstreamBaseUrl: `${provider.origin}${path}`,
    wireApi,
    apiKey: KEY,
    expiresAtMs: Date.now() + 600_000,
    socketFolder: folder,
  });
  const route = { socketPath: join(folder, 'proxy.sock') };
  const never = new AbortController().signal;
  expect(await providerModels({ route, token: TOKEN, wireApi }, never)).toEqual(MODELS);
  expect(await providerModels({ route, token: 'other', wireApi }, never)).toBeNull();
});
