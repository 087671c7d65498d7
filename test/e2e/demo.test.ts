import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AttemptEvidence } from '@switchyard/shared/api/attempt-evidence';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { askAsStranger } from '../support/e2e/ask-as-stranger.ts';
import { bareRepository } from '../support/e2e/git-repository.ts';
import { processesOf } from '../support/e2e/processes-of.ts';
import { nodeCommand, startService } from '../support/e2e/start-service.ts';
import { switchyard } from '../support/e2e/switchyard.ts';
import { until } from '../support/e2e/until.ts';

const DEMO_TIMEOUT_MS = 120_000;

describe('the command line', () => {
  let folder = '';
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'swy-e2e-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  it('plays the demo once and prints one object about what is really there', async () => {
    const dataDir = join(folder, 'data');
    const flags = ['--once', '--json', '--port', '0', '--no-open', '--sandbox', 'process'];
    const ended = await switchyard(['demo', ...flags, '--data-dir', dataDir], folder);
    expect(ended.code, ended.stderr).toBe(0);
    const result = JSON.parse(ended.stdout);
    expect(result).toMatchObject({
      issue: { identifier: 'SY-1', status: 'completed' },
      attempts: [{ number: 1, outcome: 'completed', failureKind: null }],
      pullRequest: { diffStat: { files: 1, insertions: 2, deletions: 2 } },
      sandbox: 'process',
      engineVersion: expect.stringMatching(/^\d+\.\d+\.\d+/),
    });
    expect(result.events).toBeGreaterThan(10);
    expect(result.durationMs).toBeGreaterThan(0);
    const made = await readdir(join(dataDir, 'repositories'));
    const path = join(dataDir, 'repositories', made[0] ?? '', 'tidy-durations.git');
    const repository = bareRepository(path);
    const { branch, commitSha } = result.pullRequest;
    expect(await repository.git('rev-parse', branch)).toBe(commitSha);
    expect(await processesOf(dataDir)).toEqual([]);
    const again = await switchyard(['demo', ...flags, '--data-dir', dataDir], folder);
    expect(again.code, again.stderr).toBe(0);
    expect(JSON.parse(again.stdout)).toMatchObject({
      issue: { identifier: 'SY-2', status: 'completed' },
      attempts: [{ number: 1, outcome: 'completed' }],
    });
  });

  it('removes what it makes in a folder of its own, and says so', async () => {
    const flags = ['--once', '--port', '0', '--no-open', '--sandbox', 'process'];
    const ended = await switchyard(['demo', ...flags], folder, { TMPDIR: folder });
    expect(ended.code, ended.stderr).toBe(0);
    expect(ended.stderr).toMatch(/^the demo has ended: all that it made was removed$/m);
    expect((await readdir(folder)).filter((name) => name.includes('demo'))).toEqual([]);
  });

  it('succeeds where everything takes ten times as long, within the limits of the API', async () => {
    const flags = ['--once', '--json', '--port', '0', '--no-open', '--sandbox', 'process'];
    const slow = ['--think-ms', '9000', '--data-dir', join(folder, 'data')];
    const ended = await switchyard(['demo', ...flags, ...slow], folder, {}, { timeoutMs: 240_000 });
    expect(ended.code, ended.stderr).toBe(0);
    const result = JSON.parse(ended.stdout);
    expect(result).toMatchObject({ issue: { status: 'completed' }, attempts: [{ number: 1 }] });
    expect(result.durationMs).toBeGreaterThan(45_000);
  }, 260_000);

  it('has the report that the agent left beside its pull request, and not in the commit', async () => {
    const demo = await startService({
      dataDir: join(folder, 'data'),
      command: [...nodeCommand, 'demo'],
      args: ['--sandbox', 'process', '--think-ms', '0'],
    });
    try {
      await until(demo.output, (text) => text.includes('review and merge it at'), {
        what: 'the pull request',
        timeoutMs: DEMO_TIMEOUT_MS,
      });
      const { client } = demo;
      const { attempts } = await client.issue('SY-1');
      const path = `/attempts/${attempts[0]?.attemptId}/evidence`;
      const evidence = await client.must<AttemptEvidence>('GET', path);
      expect(evidence).toMatchObject({
        changes: { files: 1 },
        outsideScope: { files: 0 },
        files: [{ path: 'node-test.txt', type: 'text/plain' }],
      });
      const url = evidence.files[0]?.url ?? '';
      expect((await client.ask('GET', url)).body).toMatch(/^. pass 3$/m);
      expect((await client.pullRequestOf('SY-1')).body).toContain(`<${client.url}${url}>`);
    } finally {
      await demo.kill();
    }
  });

  it('opens nothing to strangers while the demo runs, beside its own page and health', async () => {
    const demo = await startService({
      dataDir: join(folder, 'data'),
      command: [...nodeCommand, 'demo'],
      args: ['--sandbox', 'process'],
    });
    try {
      await until(demo.output, (text) => text.includes('review and merge it at'), {
        what: 'the pull request',
        timeoutMs: DEMO_TIMEOUT_MS,
      });
      const { pid, dataDir, url } = demo;
      expect(await askAsStranger({ pid, dataDir, service: url, secrets: [] })).toEqual({
        // The scripted model and the service are one process.
        listeners: ['egress-proxy.js', 'switchyard.js', 'switchyard.js'].map(
          (program) => `${program} at 127.0.0.1`,
        ),
        problems: [],
      });
    } finally {
      await demo.kill();
    }
  });

  it.each([
    ['an unknown command', ['fly']],
    ['a port that is none', ['start', '--port', '70000']],
  ])('ends with 2 on %s', async (_what, args) => {
    const ended = await switchyard(args, folder);
    expect(ended).toMatchObject({ code: 2, stdout: '' });
    expect(ended.stderr).toMatch(/^error: /);
  });

  it('ends with 1 and says why when it would serve everyone without a token', async () => {
    const flags = ['--host', '0.0.0.0', '--port', '0', '--no-open', '--data-dir', folder];
    const ended = await switchyard(['start', ...flags], folder);
    expect(ended.code).toBe(1);
    expect(ended.stderr).toMatch(/SERVICE_WRITE_TOKEN/);
  });
});
