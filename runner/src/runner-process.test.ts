import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { readFile, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { failingTestProject } from '../../control-plane/src/platform/node/demo/scripted-provider/failing-test-project.ts';
import { fixFailingTest, slow } from '../../control-plane/src/platform/node/demo/scripted-provider/ready-scripts.ts';
import { startScriptedProvider } from '../../control-plane/src/platform/node/demo/scripted-provider/scripted-provider.ts';
import type { ScriptedProvider } from '../../control-plane/src/platform/node/demo/scripted-provider/scripted-provider.ts';
import { testSpec } from './connection/testing/attempt-spec.ts';
import { ControlPlaneServer } from './connection/testing/control-plane-server.ts';
import { makeWorkspaceFixture } from './workspace/testing/workspace-fixture.ts';
import type { WorkspaceFixture } from './workspace/testing/workspace-fixture.ts';

const MAIN = fileURLToPath(new URL('./main.ts', import.meta.url));
const API_KEY = 'sk-known-to-the-proxy-only';
const REAL_LIMIT_MS = 60_000;
const KEY = 'att_00000001@1';

let fixture: WorkspaceFixture;
let server: ControlPlaneServer;
let provider: ScriptedProvider;
let dataDir: string;
const children = new Set<ChildProcess>();

type Output = { child: ChildProcess; stdout: () => string; stderr: () => string; exit: Promise<number | null> };

function runner(args: string[], env: Record<string, string> = {}): Output {
  const child = spawn(process.execPath, [MAIN, ...args], { env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
  children.add(child);
  let stdout = '';
  let stderr = '';
  child.stdout?.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr?.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  const exit = new Promise<number | null>((resolve) => {
    child.once('exit', (code) => {
      children.delete(child);
      resolve(code);
    });
  });
  return { child, stdout: () => stdout, stderr: () => stderr, exit };
}

async function waitFor<T>(what: string, found: () => T | null | undefined | false, more: () => string = () => ''): Promise<T> {
  const endMs = Date.now() + REAL_LIMIT_MS;
  for (;;) {
    const value = found();
    if (value !== null && value !== undefined && value !== false) return value;
    if (Date.now() > endMs) throw new Error(`waited in vain for ${what}\n${more()}`);
    await new Promise<void>((resolve) => {
      setTimeout(resolve, 20);
    });
  }
}

const run = (...more: string[]) => ['run', '--data-dir', dataDir, '--sandbox', 'process', '--slots', '1', ...more];
const joined = async () => {
  const join = runner(['join', server.url, '--token', 'enr_once', '--data-dir', dataDir]);
  expect(await join.exit, join.stderr()).toBe(0);
};
const offer = async () => {
  server.plane.sealedSecrets = await server.seal({ providerApiKey: API_KEY });
  const spec = testSpec({
    repository: fixture.source,
    engine: { name: 'codex', model: 'scripted-model', provider: { name: 'scripted', baseUrl: provider.url, wireApi: 'responses' } },
  });
  server.plane.say({ type: 'offer', attemptId: spec.attemptId, epoch: 1, expiresInMs: 15_000, spec });
};
const events = (kind: string) => (server.plane.stored.get(KEY) ?? []).filter((item) => item.kind === kind);

beforeEach(async () => {
  fixture = await makeWorkspaceFixture();
  await fixture.commitOnRemote('main', failingTestProject);
  dataDir = join(fixture.folder, 'data');
  server = new ControlPlaneServer();
  await server.listen();
  provider = await startScriptedProvider({ script: fixFailingTest(), apiKey: API_KEY });
});

afterEach(async () => {
  for (const child of children) {
    child.kill('SIGKILL');
    await new Promise((resolve) => child.once('exit', resolve));
  }
  // A runner that is stopped for good ends what a killed one left, its model proxy included.
  if (server.joins.length > 0) {
    server.plane.verdictFor = (item) => ({ attemptId: item.attemptId, epoch: item.epoch, verdict: 'stop', code: 'UNKNOWN_ATTEMPT' });
    const last = runner(run('--stop-attempts-on-exit'));
    await waitFor('the last runner', () => last.stdout().includes('runner ready'), last.stderr);
    last.child.kill('SIGTERM');
    expect(await last.exit, last.stderr()).toBe(0);
  }
  await provider.close();
  await server.close();
  await fixture.dispose();
  expect(server.trouble).toBeNull();
});

describe('the runner process', () => {
  it('says how it is used', async () => {
    const help = runner(['--help']);
    expect(await help.exit).toBe(0);
    expect(help.stdout()).toContain('join');
    expect(await runner(['run', '--slots', 'many']).exit).toBe(2);
    expect(await runner(['dance']).exit).toBe(2);
    const unjoined = runner(['--data-dir', dataDir]);
    expect(await unjoined.exit).toBe(3);
    expect(unjoined.stderr()).toContain('join URL --token');
    const refused = runner(['join', server.url, '--token', 'wrong', '--data-dir', dataDir]);
    expect(await refused.exit).toBe(3);
    expect(refused.stderr()).toContain('this token is not valid');
    expect(await readdir(fixture.folder)).not.toContain('data');
  }, 60_000);

  it('joins once and takes an issue to a pushed branch with the real engine', async () => {
    await joined();
    expect((await stat(join(dataDir, 'identity.json'))).mode & 0o777).toBe(0o600);
    const one = runner(run());
    await waitFor('ready', () => one.stdout().includes('runner ready run_00000001'), one.stderr);
    expect(server.plane.last('hello')).toMatchObject({ isolation: 'process', warnings: [expect.stringContaining('processes')] });
    expect(server.tokens.at(-1)).toMatchObject({ iss: 'run_00000001', sub: 'run_00000001' });
    await offer();
    const finish = await waitFor('finish', () => server.plane.finished.get(KEY), () => `${one.stderr()}\n${JSON.stringify(server.plane.stored.get(KEY))}`);
    expect(finish, JSON.stringify(finish)).toMatchObject({ outcome: 'completed', marker: 'DONE' });
    expect(finish.summary).toContain('all three tests pass');
    expect(finish.usage?.total).toBeGreaterThan(0);
    const { branch = '', commitSha = '', diffBlob = '' } = finish.delivery ?? {};
    expect(fixture.git(fixture.remotePath, 'rev-parse', branch).trim()).toBe(commitSha);
    expect(fixture.git(fixture.remotePath, 'show', `${branch}:src/format-duration.js`)).toContain('Math.floor');
    expect(server.blobs.get(diffBlob)).toContain('+    const count = Math.floor');
    expect(events('thread')[0]?.payload).toMatchObject({ resumed: false, engineVersion: '0.169.0' });
    const said = JSON.stringify([server.plane.received, one.stderr(), one.stdout()]);
    expect(said).not.toContain(API_KEY);
    one.child.kill('SIGTERM');
    expect(await one.exit, one.stderr()).toBe(0);
  }, 120_000);

  it('goes on with a running turn after kill -9, with nothing lost and nothing run twice', async () => {
    await joined();
    provider.setScript((request) => {
      const step = fixFailingTest()(request);
      return request.stepIndex === 2 ? { ...step, delayMs: 4_000 } : step;
    });
    const one = runner(run());
    await waitFor('ready', () => one.stdout().includes('runner ready'), one.stderr);
    await offer();
    await waitFor('the second command', () => provider.requests.length >= 3, one.stderr);
    one.child.kill('SIGKILL');
    await one.exit;
    const two = runner(run());
    const finish = await waitFor('finish', () => server.plane.finished.get(KEY), two.stderr);
    expect(finish, `${JSON.stringify(finish)}\n${two.stderr()}`).toMatchObject({ outcome: 'completed', marker: 'DONE' });
    expect(server.plane.all('hello').at(-1)?.held).toMatchObject([{ attemptId: 'att_00000001', phase: 'running' }]);
    expect(events('container').map(({ payload }) => payload['state'])).toEqual(['started', 'exited']);
    expect(new Set(provider.requests.map(({ threadId }) => threadId)).size).toBe(1);
    expect(fixture.git(fixture.remotePath, 'show', `${finish.delivery?.branch}:src/format-duration.js`)).toContain('Math.floor');
  }, 120_000);

  it('ends a running agent and gives its lease back when started to do so', async () => {
    provider.setScript(slow());
    const one = runner(run('--stop-attempts-on-exit'), { SWITCHYARD_JOIN_TOKEN: 'enr_once', SWITCHYARD_CONTROL_PLANE: server.url });
    await waitFor('ready', () => one.stdout().includes('runner ready'), one.stderr);
    await offer();
    await waitFor('the command', () => events('item').length > 0, one.stderr);
    const stoppedMs = Date.now();
    one.child.kill('SIGTERM');
    expect(await one.exit, one.stderr()).toBe(0);
    expect(Date.now() - stoppedMs).toBeLessThan(8_000);
    expect(server.plane.last('released')).toMatchObject({ attemptId: 'att_00000001', container: 'dead' });
    expect(await sleepers()).toEqual([]);
  }, 120_000);
});

/** Processes of this test's agents that still sleep. */
async function sleepers(): Promise<string[]> {
  const found: string[] = [];
  for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
    const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
    if (!command.includes('sleep\u0000300')) continue;
    const environment = await readFile(`/proc/${pid}/environ`, 'utf8').catch(() => '');
    if (environment.includes(dataDir)) found.push(command);
  }
  return found;
}
