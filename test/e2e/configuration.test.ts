import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type RunningService, startService } from '../support/e2e/start-service.ts';

const JSON_TYPE = { 'content-type': 'application/json' };
const SECRET = 'sk-e2e-known-to-nobody';
const OTHER_KEY = 'ab'.repeat(32);

describe('configuration and secrets of a running service', () => {
  let dataDir: string;
  let service: RunningService | null;
  beforeEach(async () => {
    dataDir = join(await mkdtemp(join(tmpdir(), 'swy-e2e-')), 'data');
    await mkdir(dataDir);
    service = null;
  });
  afterEach(async () => {
    await service?.kill();
    await rm(join(dataDir, '..'), { recursive: true, force: true });
  });

  async function start(env: Record<string, string> = {}): Promise<RunningService> {
    service = await startService({ dataDir, args: ['--no-runner'], env });
    return service;
  }
  async function answer(path: string): Promise<unknown> {
    return (await fetch(`${service?.url}/api/v1/${path}`)).json();
  }
  const writeFlow = (turns: string) =>
    writeFile(join(dataDir, 'WORKFLOW.md'), `---\nagent: { max_turns: ${turns} }\n---\nFix it.`);
  const turns = async () => {
    const config = await answer('config');
    return JSON.stringify(config).match(/"maxTurns":(\d+)/)?.[1];
  };
  const warnings = async () => JSON.stringify(await answer('state')).match(/"warnings":.*/)?.[0];

  it('follows the base file, and keeps the last good one', async () => {
    await writeFlow('3');
    await start();
    expect(await turns()).toBe('3');
    await writeFlow('4');
    await expect.poll(turns).toBe('4');
    await writeFlow('[');
    await expect.poll(warnings).toContain('WORKFLOW.md');
    expect(await turns()).toBe('4');
    await writeFlow('5');
    await expect.poll(turns).toBe('5');
    expect(await warnings()).not.toContain('WORKFLOW.md');
  });

  it('keeps secrets over a restart, and refuses another master key without harm', async () => {
    const { url } = await start();
    const init = { method: 'POST', headers: JSON_TYPE, body: JSON.stringify({ value: SECRET }) };
    expect((await fetch(`${url}/api/v1/secrets/MODEL_KEY`, init)).status).toBe(204);
    expect((await service?.stop())?.code).toBe(0);
    const keyFile = join(dataDir, 'master.key');
    expect((await stat(keyFile)).mode & 0o777).toBe(0o600);
    const kept = await readFile(keyFile, 'utf8');

    await rm(keyFile);
    await expect(start({ SERVICE_MASTER_KEY: OTHER_KEY })).rejects.toThrow(/Nothing was changed/);

    await writeFile(keyFile, kept, { mode: 0o600 });
    const moved = await start({ SERVICE_MASTER_KEY: OTHER_KEY });
    expect(await answer('secrets')).toEqual({ keys: ['MODEL_KEY'], total: 1 });
    const operations = async () => JSON.stringify(await answer('audit'));
    await expect.poll(operations).toContain('secret.rotate');
    expect((await moved.stop()).code).toBe(0);

    await rm(keyFile);
    await start({ SERVICE_MASTER_KEY: OTHER_KEY });
    expect(await answer('secrets')).toEqual({ keys: ['MODEL_KEY'], total: 1 });
    expect(service?.output()).not.toContain(SECRET);
  }, 240_000);
});
