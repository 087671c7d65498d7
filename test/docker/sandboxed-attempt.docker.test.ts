import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { failingTestIssue } from '../../control-plane/scripted-provider/failing-test-project.ts';
import {
  fixFailingTest,
  type ReadyScript,
} from '../../control-plane/scripted-provider/ready-scripts.ts';
import { byPrompt, slow } from '../support/scripted-model/scripts.ts';
import { exec, say } from '../../control-plane/scripted-provider/step.ts';
import { filesWith } from '../support/e2e/files-with.ts';
import { ownContainers } from '../support/e2e/own-containers.ts';
import { type Bench, startBench } from '../support/e2e/start-bench.ts';
import { until } from '../support/e2e/until.ts';

const MEMORY_BYTES = 268_435_456;

// Files of a tmpfs count as memory and belong to no process: the kernel takes the engine.
const HOG = 'sleep 1; cat /dev/zero > /tmp/hog; sleep 60';
const hogsMemory: ReadyScript = ({ stepIndex }) =>
  stepIndex === 0 ? exec(HOG, 30_000) : say('Still here.\n\nSWITCHYARD_STATUS: DONE');

// What an agent can see of its surroundings; the answer goes to the model, and so to the provider.
const LOOK = [
  'env',
  'cat /proc/1/environ /proc/1/cmdline /proc/self/status 2>&1 | tr "\\0" "\\n"',
  'cat ~/.codex/* $CODEX_HOME/*.toml $CODEX_HOME/*.json $CODEX_HOME/shell_snapshots/* 2>/dev/null',
  'touch /etc/x /usr/x 2>&1',
  'ls /var/run/docker.sock 2>&1',
  'cat /proc/net/dev',
].join('; ');
const looksAround: ReadyScript = ({ stepIndex }) =>
  stepIndex === 0 ? exec(LOOK) : say('I looked.\n\nSWITCHYARD_STATUS: DONE');

describe('attempts in containers', () => {
  let bench: Bench;
  let runnerId = '';

  beforeAll(async () => {
    const scripts = [
      { match: 'case:slow', script: slow() },
      { match: 'case:hog', script: hogsMemory },
      { match: 'case:look', script: looksAround },
    ];
    bench = await startBench({
      script: byPrompt(scripts, fixFailingTest()),
      sandbox: 'docker',
      config: {
        'agent.maxContinuationAttempts': 0,
        'engine.sandbox.resources': JSON.stringify({ memoryBytes: MEMORY_BYTES }),
      },
    });
    runnerId = (await bench.client.runners())[0]?.runnerId ?? '';
  });
  afterAll(() => bench?.close());

  it('takes an issue to a pull request', async () => {
    const { client, repository } = bench;
    const [runner] = await client.runners();
    expect(runner).toMatchObject({ isolation: 'docker', warnings: [] });
    const { identifier } = await client.createIssue({ ...failingTestIssue });
    const issue = await client.settled(identifier);
    expect(issue, issue.reason ?? '').toMatchObject({ status: 'completed' });
    const { branch, commitSha } = await client.pullRequestOf(identifier);
    expect(await repository.git('rev-parse', branch)).toBe(commitSha);
    const code = await repository.git('show', `${branch}:src/format-duration.js`);
    expect(code).toContain('Math.floor(rest / seconds)');
  });

  it('aborts a running turn, and the locked container is gone', async () => {
    const { client, apiKey } = bench;
    const { identifier } = await client.createIssue({ title: 'case:slow' });
    const { attemptId } = await client.commandRunning(identifier);
    const [container] = await ownContainers({ attemptId });
    expect(container).toMatchObject({
      state: 'running',
      host: {
        NetworkMode: 'none',
        CapDrop: ['ALL'],
        SecurityOpt: ['no-new-privileges'],
        ReadonlyRootfs: true,
        Memory: MEMORY_BYTES,
      },
    });
    expect(container?.host.PidsLimit).toBeGreaterThan(0);
    expect(container?.user).toMatch(/^[1-9]\d*(:|$)/);
    expect(JSON.stringify(container)).not.toContain(apiKey);
    // Nothing that the container sees holds the key, while it runs.
    const places = container?.mounts ?? [];
    const told = await Promise.all(places.map((place) => filesWith(place, 'scripted-model')));
    expect(told.flat(), 'the search finds what is there').not.toEqual([]);
    expect(await Promise.all(places.map((place) => filesWith(place, apiKey)))).toEqual(
      places.map(() => []),
    );
    const abort = await client.ask('POST', `/api/v1/${identifier}/abort`);
    expect(abort.status).toBe(202);
    const issue = await client.settled(identifier, 20_000);
    expect(issue).toMatchObject({ status: 'cancelled' });
    expect(issue.attempts[0]).toMatchObject({ outcome: 'cancelled', attemptId });
    expect(await ownContainers({ attemptId })).toEqual([]);
  });

  it('says that the kernel killed a container for its memory', async () => {
    const { client } = bench;
    const { identifier } = await client.createIssue({ title: 'case:hog' });
    const { attemptId } = await client.commandRunning(identifier);
    const issue = await client.settled(identifier);
    expect(issue).toMatchObject({ status: 'failed' });
    expect(issue.reason).toMatch(/memory/);
    expect(issue.attempts[0]).toMatchObject({
      attemptId,
      status: 'failed',
      outcome: 'oom',
      failureKind: 'container_oom',
    });
    const events = (await client.attempt(attemptId)).events;
    const exit = events.find(({ data }) => data['kind'] === 'container' && wasOom(data['payload']));
    expect(exit).toBeDefined();
    expect(await ownContainers({ attemptId })).toEqual([]);
  });

  it('shows an agent no key, no network, no daemon and nothing to write but its own', async () => {
    const { client, provider, apiKey } = bench;
    const { identifier } = await client.createIssue({ title: 'case:look' });
    expect(await client.settled(identifier)).toMatchObject({ status: 'completed' });
    const asked = provider.requests.filter(({ userTexts }) =>
      userTexts.join().includes(identifier),
    );
    const seen = asked.at(-1)?.toolOutputs.join('\n') ?? '';
    expect(seen).toContain('HOME=');
    expect(seen).not.toContain(apiKey);
    expect(seen).toMatch(/CapEff:\s+0{16}/);
    expect(seen).toMatch(/NoNewPrivs:\s+1/);
    expect(seen).toMatch(/touch: cannot touch '\/etc\/x'/);
    expect(seen).toMatch(/cannot access '\/var\/run\/docker.sock'/);
    const interfaces = [...seen.matchAll(/^\s*([a-z0-9]+):\s+\d+\s+\d+/gm)].map(([, name]) => name);
    expect(interfaces).toEqual(['lo']);
    // The provider was asked with the real key all the same: it is added on the way out.
    const hash = createHash('sha256').update(`Bearer ${apiKey}`).digest('hex');
    expect(asked.every(({ authorizationSha256 }) => authorizationSha256 === hash)).toBe(true);
  });

  it('leaves no container and no process when it stops while an agent works', async () => {
    const { client } = bench;
    const { identifier } = await client.createIssue({ title: 'case:slow once more' });
    const { attemptId } = await client.commandRunning(identifier);
    expect(await ownContainers({ attemptId })).toHaveLength(1);
    const stopped = await bench.service.stop('SIGTERM');
    expect(stopped, bench.service.output()).toMatchObject({ code: 0, signal: null });
    const options = { what: 'no container', timeoutMs: 5_000 };
    await until(
      () => ownContainers({ runnerId }),
      (left) => left.length === 0,
      options,
    );
    expect(await bench.service.processes()).toEqual([]);
  });
});

function wasOom(payload: unknown): boolean {
  return (
    typeof payload === 'object' && payload !== null && 'oom' in payload && payload.oom === true
  );
}
