import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { processesOf } from '../support/e2e/processes-of.ts';
import { startService } from '../support/e2e/start-service.ts';
import { switchyard } from '../support/e2e/switchyard.ts';

/** Nobody listens there. */
const NO_DAEMON = { DOCKER_HOST: 'unix:///nonexistent/docker.sock' };

describe('starting where something is in the way', () => {
  let folder = '';
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'swy-e2e-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  it('says where a Switchyard runs already', async () => {
    const service = await startService({ dataDir: join(folder, 'one'), args: ['--no-runner'] });
    try {
      const { port } = new URL(service.url);
      const flags = ['--port', port, '--no-open', '--no-runner', '--data-dir', join(folder, 'two')];
      const ended = await switchyard(['start', ...flags], folder);
      expect(ended.code).toBe(1);
      expect(ended.stderr).toContain(`Switchyard already runs at ${service.url}`);
    } finally {
      await service.stop();
      await service.kill();
    }
  });

  it.each(['start', 'demo'])(
    'ends %s with 3 and one line without the Docker asked for',
    async (name) => {
      const flags = ['--port', '0', '--no-open', '--sandbox', 'docker', '--data-dir', folder];
      const ended = await switchyard([name, ...flags], folder, NO_DAEMON);
      expect(ended.code, ended.stderr).toBe(3);
      const lines = ended.stderr.split('\n').filter((line) => line.includes('--sandbox docker:'));
      expect(lines).toEqual([expect.stringMatching(/no daemon answers.*--sandbox process/)]);
      expect(ended.stderr).not.toContain('starting it again');
      expect(await processesOf(folder)).toEqual([]);
    },
  );

  it('tells in a sentence that a join token is not good, and stores nothing', async () => {
    const service = await startService({ dataDir: join(folder, 'one'), args: ['--no-runner'] });
    try {
      const flags = ['--token', 'enr_wrong', '--data-dir', join(folder, 'runner')];
      const ended = await switchyard(['runner', 'join', service.url, ...flags], folder);
      expect(ended.code).toBe(3);
      expect(ended.stderr).toBe(
        `switchyard runner: ${service.url} did not let this runner join: ` +
          'this join token is unknown, used or expired; make a new one (401)\n',
      );
    } finally {
      await service.stop();
      await service.kill();
    }
  });

  it('knows which keys the configuration has', async () => {
    const service = await startService({ dataDir: join(folder, 'one'), args: ['--no-runner'] });
    try {
      const get = (key: string) => switchyard(['config', 'get', key, '--url', service.url], folder);
      expect(await get('agent.maxTurns')).toMatchObject({ code: 0, stdout: '20\n' });
      expect(await get('agent.max_turns')).toMatchObject({ code: 0, stdout: '20\n' });
      const unknown = await get('agent.maxTruns');
      expect(unknown).toMatchObject({ code: 2, stdout: '' });
      expect(unknown.stderr).toContain('no configuration key "agent.maxTruns"');
    } finally {
      await service.stop();
      await service.kill();
    }
  });
});
