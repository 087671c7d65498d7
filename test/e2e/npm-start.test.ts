import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { repositoryRoot, type RunningService, startService } from '../support/e2e/start-service.ts';

describe('npm start', () => {
  let folder = '';
  let service: RunningService | null = null;
  afterEach(async () => {
    await service?.kill();
    await rm(folder, { recursive: true, force: true });
  });

  it('serves with a runner, and ends when npm itself is signalled', async () => {
    folder = await mkdtemp(join(tmpdir(), 'swy-e2e-'));
    service = await startService({
      dataDir: join(folder, 'data'),
      command: ['npm', '--prefix', repositoryRoot, 'start', '--silent', '--'],
      args: ['--sandbox', 'process'],
      // A checkout where nothing is built yet builds the dashboard first.
      readyTimeoutMs: 100_000,
    });
    const { client } = service;
    expect((await client.ask('GET', '/healthz')).status).toBe(200);
    const pages = await Promise.all(
      ['/', '/setup', '/issues/SY-1'].map((p) => client.ask('GET', p)),
    );
    expect(pages.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(pages[0]?.headers.get('content-type')).toMatch(/^text\/html/);
    expect(new Set(pages.map(({ body }) => body)).size, 'one shell for all').toBe(1);
    const stopped = await service.stop('SIGTERM');
    expect(stopped, service.output()).toMatchObject({ code: 0, signal: null });
    expect(await service.processes()).toEqual([]);
  });
});
