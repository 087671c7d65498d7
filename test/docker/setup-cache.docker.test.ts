import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ReadyScript } from '../../control-plane/scripted-provider/ready-scripts.ts';
import { exec, say } from '../../control-plane/scripted-provider/step.ts';
import { makeRepository } from '../support/e2e/git-repository.ts';
import { type PackageRegistry, startPackageRegistry } from '../support/e2e/package-registry.ts';
import { type Bench, startBench } from '../support/e2e/start-bench.ts';
import { repositoryRoot } from '../support/e2e/start-service.ts';

const PACKAGE = 'swy-fixture-cached';
const WORDS = 'hello from the cache';
const TARBALL = `/${PACKAGE}/-/${PACKAGE}-1.0.0.tgz`;
/** Says what it found, then leaves something and installs. */
const SET_UP =
  `echo "found: $(ls "$SWITCHYARD_CACHE" | grep -c left)"; touch "$SWITCHYARD_CACHE/left"; ` +
  `npm install --no-save --no-audit --no-fund --fetch-retries=0 ${PACKAGE} >/dev/null 2>&1; ` +
  `node -p 'require("${PACKAGE}")'`;
/** An agent that looks for the cache and tries to leave something in it. */
const POISON =
  'echo "agent sees: [$SWITCHYARD_CACHE] $(ls /var/cache/switchyard 2>&1)"; ' +
  'mkdir -p /var/cache/switchyard/npm && echo poisoned > /var/cache/switchyard/left; echo "wrote $?"';
const CONTAINER_PATH = '/var/cache/switchyard';

const poisons: ReadyScript = ({ stepIndex }) =>
  stepIndex === 0 ? exec(POISON, 60_000) : say('I tried.\n\nSWITCHYARD_STATUS: DONE');

describe('the dependency cache of a repository', () => {
  let bench: Bench;
  let registry: PackageRegistry;

  beforeAll(async () => {
    registry = await startPackageRegistry(PACKAGE, WORDS);
    bench = await startBench({
      script: poisons,
      sandbox: 'docker',
      slots: 1,
      config: {
        'agent.maxContinuationAttempts': 0,
        'engine.sandbox.cache': 'setup',
        'hooks.afterCreate': SET_UP,
        'hooks.beforeRun': `echo "later: [$SWITCHYARD_CACHE] $(ls -d ${CONTAINER_PATH} 2>&1)"`,
      },
      env: { npm_config_registry: registry.url },
    });
    const other = await makeRepository(bench.folder, 'other', { files: { 'a.txt': 'a\n' } });
    const route = { label: 'other', url: other.url };
    await bench.client.must('POST', '/setup/repo-route', route);
  });
  afterAll(async () => {
    await bench?.close();
    await registry?.close();
  });

  async function attempt(labels: string[] = []): Promise<{ seen: string; log: string }> {
    const { client, provider } = bench;
    const { identifier } = await client.createIssue({ title: 'Set it up', labels });
    const issue = await client.settled(identifier);
    expect(issue, issue.reason ?? '').toMatchObject({ status: 'completed' });
    const { events } = await client.attempt(issue.attempts[0]?.attemptId ?? '');
    const log = events.filter(({ data }) => data['kind'] === 'log');
    const asked = provider.requests.filter(({ userTexts }) =>
      userTexts.join().includes(identifier),
    );
    return {
      seen: asked.at(-1)?.toolOutputs.join('\n') ?? '',
      log: JSON.stringify(log.map(({ data }) => data['payload'])),
    };
  }

  const runner = async (...args: string[]): Promise<string> => {
    const main = join(repositoryRoot, 'dist/lib/runner.js');
    const dataDir = join(bench.folder, 'data', 'runner');
    const words = [main, 'caches', '--data-dir', dataDir, ...args];
    return (await promisify(execFile)(process.execPath, words, { timeout: 60_000 })).stdout;
  };

  it('serves the set-up of its next issue, and no agent ever sees it', async () => {
    const first = await attempt();
    expect(first.log).toContain('found: 0');
    expect(first.log).toContain(WORDS);
    expect(first.log).toContain('later: [] ls: cannot access');
    expect(first.seen).toContain('agent sees: [] ls: cannot access');
    expect(first.seen).toContain('wrote 1');
    const fetched = registry.asked.filter((path) => path === TARBALL).length;
    expect(fetched).toBe(1);
    const second = await attempt();
    expect(second.log).toContain('found: 1');
    expect(second.log).toContain(WORDS);
    expect(registry.asked.filter((path) => path === TARBALL)).toHaveLength(fetched);
  });

  it('is not there for another repository', async () => {
    const { log } = await attempt(['other']);
    expect(log).toContain('found: 0');
  });

  it('is listed with its size, and pruned', async () => {
    expect(await runner()).toMatch(
      /MiB {2}last used .*project\.git\n[\s\S]* in 2 dependency caches/,
    );
    const pruned: unknown = JSON.parse(await runner('--prune', '--json'));
    expect(pruned).toMatchObject({ pruned: true, caches: [{}, {}] });
    expect(await runner()).toBe('0.0 MiB in 0 dependency caches\n');
  });
});
