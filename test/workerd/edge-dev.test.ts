import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { failingTestProject } from '../../control-plane/scripted-provider/failing-test-project.ts';
import { fixFailingTest } from '../../control-plane/scripted-provider/ready-scripts.ts';
import {
  type ScriptedProvider,
  startScriptedProvider,
} from '../../control-plane/scripted-provider/scripted-provider.ts';
import { askAsStranger } from '../support/e2e/ask-as-stranger.ts';
import { filesWith } from '../support/e2e/files-with.ts';
import { makeRepository } from '../support/e2e/git-repository.ts';
import { processesOf } from '../support/e2e/processes-of.ts';
import { switchyard } from '../support/e2e/switchyard.ts';
import { until } from '../support/e2e/until.ts';
import { rawRequest } from '../support/fronts/raw-request.ts';
import { type EdgeDev, startEdgeDev } from '../support/workerd/edge-dev.ts';

const KEY = "a key with a ' and a $HOME in it";
const CONNECT_TIMEOUT_MS = 60_000;
const ISSUE_TIMEOUT_MS = 120_000;
const GONE_WITHIN_MS = 20_000;

describe('switchyard edge dev', () => {
  let folder: string;
  let dataDir: string;
  let provider: ScriptedProvider;
  let edge: EdgeDev | null = null;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'swy-edge-dev-'));
    dataDir = join(folder, 'data');
    provider = await startScriptedProvider({ script: fixFailingTest(), apiKey: KEY });
  });
  afterAll(async () => {
    await edge?.kill();
    await provider?.close();
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  });

  const start = async (args: readonly string[] = []) => {
    edge = await startEdgeDev({
      dataDir,
      args: ['--sandbox', 'process', '--slots', '1', ...args],
      env: {
        SERVICE_CONFIG__engine__model: 'scripted-model',
        SERVICE_CONFIG__engine__provider__baseUrl: provider.url,
        SERVICE_CONFIG__engine__provider__apiKey: KEY,
      },
    });
    return edge;
  };
  const nothingLeft = () =>
    until(
      () => processesOf(dataDir),
      (left) => left.length === 0,
      { what: 'no process of it', timeoutMs: GONE_WITHIN_MS },
    );

  it('makes a pull request of an issue, keeps it, and ends with all that it started', async () => {
    const { client, stop, output, writeToken, settings, pid, url } = await start();
    await until(
      async () => (await client.runners())[0]?.status,
      (status) => status === 'connected',
      { what: 'the runner', timeoutMs: CONNECT_TIMEOUT_MS },
    );
    const repository = await makeRepository(folder, 'project', { files: failingTestProject });
    await client.must('POST', '/setup/repo-route', { prefix: 'SY-', url: repository.url });
    const { identifier } = await client.createIssue({ title: 'Repair the test', state: 'Todo' });
    expect(await client.settled(identifier, ISSUE_TIMEOUT_MS)).toMatchObject({
      status: 'completed',
    });
    expect(await client.pullRequestOf(identifier)).toMatchObject({ status: 'open' });

    expect(
      await askAsStranger({
        pid,
        dataDir,
        service: url,
        secrets: [writeToken, KEY, ...Object.values(settings)],
      }),
    ).toEqual({
      listeners: ['egress-proxy.js', 'sqld', 'workerd'].map((program) => `${program} at 127.0.0.1`),
      problems: [],
    });
    const asked = { port: Number(new URL(url).port), path: '/healthz' };
    for (const [name, value] of [
      ['host', 'evil.example'],
      ['sec-fetch-site', 'cross-site'],
    ] as const) {
      expect((await rawRequest({ ...asked, headers: { [name]: value } })).status).toBe(403);
    }

    const second = await switchyard(['edge', 'dev', '--data-dir', dataDir, '--port', '0'], folder);
    expect([second.code, second.stderr]).toEqual([
      1,
      expect.stringContaining('is in use by switchyard edge dev ('),
    ]);
    const { port } = new URL(url);
    const beside = ['--data-dir', join(folder, 'beside'), '--port', port];
    const third = await switchyard(['edge', 'dev', ...beside], folder);
    expect([third.code, third.stderr]).toEqual([1, expect.stringContaining(`${port} is taken`)]);

    expect(await stop('SIGINT')).toBe(130);
    await nothingLeft();
    expect(output()).not.toContain(writeToken);
    expect(output()).not.toContain(KEY);

    // Earlier versions kept the settings there, and left them when they were killed.
    const oldSettings = join(dataDir, 'edge/worker/.dev.vars');
    await writeFile(oldSettings, `SERVICE_WRITE_TOKEN='${writeToken}'\n`);
    const again = await start(['--no-runner']);
    expect(await filesWith(dataDir, writeToken)).toEqual([join(dataDir, 'edge/edge.env')]);
    expect(await again.client.issue(identifier)).toMatchObject({ status: 'completed' });
    process.kill(again.pid, 'SIGKILL');
    await nothingLeft();
  });

  it('keeps no name by which only a foreign page calls it', async () => {
    const place = join(folder, 'called');
    // Node goes on without certificates that cannot be read, and so does the Worker.
    const env = { NODE_EXTRA_CA_CERTS: folder };
    const called = await startEdgeDev({ dataDir: place, args: ['--no-runner'], env });
    edge = called;
    const port = Number(new URL(called.url).port);
    const foreign = { port, path: '/healthz', headers: { host: 'evil.example' } };
    expect((await rawRequest(foreign)).status).toBe(403);
    await called.client.ask('POST', '/api/v1/refresh');
    await until(
      () => filesWith(join(place, 'edge/objects'), 'publicOrigin'),
      (files) => files.length > 0,
      { what: 'the kept name', timeoutMs: CONNECT_TIMEOUT_MS },
    );
    expect(await filesWith(place, 'evil.example')).toEqual([]);
    await called.stop();
  });

  it('says what is missing and what to do', async () => {
    const args = ['edge', 'dev', '--data-dir', join(folder, 'other'), '--port', '0'];
    const without = await switchyard(args, folder, { SWITCHYARD_SQLD: join(folder, 'none') });
    expect([without.code, without.stderr]).toEqual([
      3,
      expect.stringContaining('SWITCHYARD_SQLD names'),
    ]);
    const away = await switchyard([...args, '--database', 'ftp://x'], folder);
    expect([away.code, away.stderr]).toEqual([2, expect.stringContaining('--database takes')]);
    const help = await switchyard(['edge', 'dev', '--help'], folder);
    expect([help.code, help.stdout]).toEqual([0, expect.stringContaining('Exit codes:')]);
    const completed = await switchyard(['complete', '--', 'edge', ''], folder);
    expect(completed.stdout).toMatch(/^dev\b/m);
  });
});
