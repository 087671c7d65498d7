import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RunningService, startService } from '../support/e2e/start-service.ts';
import { switchyard } from '../support/e2e/switchyard.ts';

// The usual port may be anybody's on this machine: nothing here depends on who listens there.
describe('a data folder whose service is stopped', { timeout: 120_000 }, () => {
  let folder: string;
  let own: string;
  let other: RunningService;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'swy-e2e-'));
    own = join(folder, 'own');
    const stopped = await startService({ dataDir: own, args: ['--no-runner'] });
    await stopped.stop();
    other = await startService({ dataDir: join(folder, 'other'), args: ['--no-runner'] });
  });
  afterAll(async () => {
    await other?.kill();
    await rm(folder, { recursive: true, force: true });
  });

  const run = (...args: string[]) => switchyard([...args, '--data-dir', own], folder);

  it.each([
    ['config', ['config', 'set', 'agent.maxTurns', '3']],
    ['issue', ['issue', 'list']],
    ['open', ['open', '--no-open']],
  ])('is not asked of another service by %s', async (_name, args) => {
    const ended = await run(...args);
    expect(ended.code).toBe(1);
    expect(ended.stderr).toContain(`no service runs on the data folder ${own}`);
    expect(ended.stderr).toContain('--url');
  });

  it('is another one for whoever names it', async () => {
    const ended = await run('config', 'get', 'agent.maxTurns', '--url', other.url);
    // The secret of this folder opens nothing there.
    expect(ended.stderr).not.toContain('no service runs on the data folder');
  });

  it('can be upgraded and copied', async () => {
    const upgraded = await run('upgrade', '--no-pull', '--json');
    expect(upgraded.code, upgraded.stderr).toBe(0);
    const copied = await run('backup', '--json');
    expect(copied.code, copied.stderr).toBe(0);
    expect(JSON.parse(copied.stdout).path).toContain(own);
  });
});
