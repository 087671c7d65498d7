import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { failingTestProject } from '../../control-plane/scripted-provider/failing-test-project.ts';
import { fixFailingTest } from '../../control-plane/scripted-provider/ready-scripts.ts';
import {
  type ScriptedProvider,
  startScriptedProvider,
} from '../../control-plane/scripted-provider/scripted-provider.ts';
import { PlaneProcess } from '../support/chaos/plane-process.ts';
import { RunnerProcess } from '../support/chaos/runner-process.ts';
import { makeRepository } from '../support/e2e/git-repository.ts';
import { NoUpgradeProxy } from '../support/e2e/no-upgrade-proxy.ts';
import { ServiceClient } from '../support/e2e/service-client.ts';
import { until } from '../support/e2e/until.ts';

const CONNECT_TIMEOUT_MS = 60_000;

let folder: string;
let provider: ScriptedProvider;
let plane: PlaneProcess;
let proxy: NoUpgradeProxy;
let runner: RunnerProcess;
let client: ServiceClient;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'swy-sync-'));
  provider = await startScriptedProvider({ script: fixFailingTest(), apiKey: 'sync-key' });
  const env = {
    SERVICE_CONFIG__engine__provider__baseUrl: provider.url,
    SERVICE_CONFIG__engine__provider__apiKey: 'sync-key',
    SERVICE_CONFIG__limits__apiPerMinute: '100000',
  };
  plane = new PlaneProcess({ folder, env });
  await plane.start();
  client = new ServiceClient(plane.url, () => plane.output);
  const repository = await makeRepository(folder, 'project', { files: failingTestProject });
  await client.must('POST', '/setup/repo-route', { prefix: 'SY-', url: repository.url });
  proxy = new NoUpgradeProxy(() => plane.url);
  await proxy.listen();
  runner = new RunnerProcess({ name: 'behind', folder, sandbox: 'process', slots: 1 });
  const { token } = await client.must<{ token: string }>('POST', '/runners/tokens', {});
  await runner.join(proxy.url, token);
  runner.start();
});
afterAll(async () => {
  await runner?.end('SIGTERM');
  await proxy?.close();
  await plane?.end('SIGTERM');
  await provider?.close();
  await rm(folder, { recursive: true, force: true, maxRetries: 3 });
});

const connected = () =>
  until(
    async () => (await client.runners())[0]?.status,
    (status) => status === 'connected',
    { what: 'the runner', timeoutMs: CONNECT_TIMEOUT_MS },
  );

it('works by requests alone where a proxy refuses sockets', async () => {
  await connected();
  const { identifier } = await client.createIssue({ title: 'Fix the failing test' });
  expect(await client.settled(identifier)).toMatchObject({ status: 'completed' });
  expect(proxy.refused).toBeGreaterThan(0);
  expect(proxy.upgraded).toBe(0);
});

it('goes back to a socket once one can be had, and on by requests when it is cut', async () => {
  proxy.allowUpgrades(true);
  // One try, and then the connection itself.
  const upgrades = { what: 'a socket', timeoutMs: CONNECT_TIMEOUT_MS };
  await until(
    () => proxy.upgraded,
    (count) => count >= 2,
    upgrades,
  );
  await connected();
  const first = await client.createIssue({ title: 'Fix it by a socket' });
  expect(await client.settled(first.identifier)).toMatchObject({ status: 'completed' });
  proxy.allowUpgrades(false);
  const second = await client.createIssue({ title: 'Fix it by requests again' });
  expect(await client.settled(second.identifier)).toMatchObject({ status: 'completed' });
});
