import { afterEach, describe, expect, it } from 'vitest';
import { failingTestIssue } from '../../control-plane/scripted-provider/failing-test-project.ts';
import { fixFailingTest } from '../../control-plane/scripted-provider/ready-scripts.ts';
import { byPrompt, commitsItself } from '../support/scripted-model/scripts.ts';
import { type Bench, startBench } from '../support/e2e/start-bench.ts';
import { filesWith } from '../support/e2e/files-with.ts';
import { until } from '../support/e2e/until.ts';
import { type FakeLinear, startFakeLinear } from '../support/linear/fake-linear.ts';

const SECRET = 'linear-webhook-secret';
const NEVER_MS = 3_600_000;

let bench: Bench;
let linear: FakeLinear;
afterEach(async () => {
  await bench?.close();
  await linear?.close();
});

/** A service whose tracker is the fake, asked every `pollMs`. */
async function start(pollMs: number): Promise<void> {
  linear = await startFakeLinear();
  const scripts = [{ match: 'case:own-commit', script: commitsItself }];
  bench = await startBench({
    script: byPrompt(scripts, fixFailingTest()),
    config: {
      'tracker.kind': 'linear',
      'tracker.linear.endpoint': linear.endpoint,
      'tracker.linear.apiKey': '$SECRET:LINEAR_KEY',
      'webhook.webhookSecret': SECRET,
      'webhook.pollingStretchMs': pollMs,
      'polling.intervalMs': pollMs,
    },
  });
  const { client, repository } = bench;
  await client.must('POST', '/secrets/LINEAR_KEY', { value: linear.apiKey });
  await client.must('POST', '/setup/repo-route', { prefix: 'ENG-', url: repository.url });
}

/** What a person writes into Linear. */
function write(title: string, description = ''): { id: string; identifier: string } {
  const { world } = linear;
  const stateId = world.stateNamed('Todo').id;
  const issue = world.add({ title, description, stateId }, world.ada);
  return { id: issue.id, identifier: world.identifier(issue) };
}

function stateOf(id: string): string {
  return linear.world.state(linear.world.issue(id).stateId).name;
}

async function reviewed(id: string): Promise<void> {
  const shown = () =>
    Promise.resolve({
      state: stateOf(id),
      attachments: linear.world.attachments.filter((one) => one.issueId === id),
      // What is said in a session stands in its thread.
      comments: linear.world.comments.filter((one) => one.issueId === id && !one.parentId),
    });
  const { attachments, comments } = await until(
    shown,
    (now) =>
      now.state === 'In Review' &&
      now.attachments.length > 0 &&
      now.comments.some(({ body }) => body.includes('delivered')),
    { what: 'the issue in review, with attachment and comment', timeoutMs: 90_000 },
  ).catch((error: unknown) => {
    throw new Error(`${String(error)}\n${bench.service.output().slice(-4_000)}`, { cause: error });
  });
  expect(comments).toHaveLength(1);
  expect(attachments).toHaveLength(1);
}

describe('issues of Linear', () => {
  it('go from Todo to a pull request in review by webhooks, and wake nobody by themselves', async () => {
    await start(NEVER_MS);
    const { client, repository, service } = bench;
    const url = `${service.url}/webhooks/tracker`;
    linear.world.webhooks.push({ id: 'hook', url, secret: SECRET, enabled: true });
    const { id, identifier } = write(failingTestIssue.title, failingTestIssue.description);
    await reviewed(id);
    const issue = await client.settled(identifier);
    expect(issue).toMatchObject({ status: 'completed', attemptCount: 1, state: 'In Review' });
    const { branch, commitSha } = await client.pullRequestOf(identifier);
    expect(await repository.git('rev-parse', branch)).toBe(commitSha);
    const moves = linear.events.flatMap(({ updatedFrom, actor }) =>
      updatedFrom && 'stateId' in updatedFrom ? [actor.name] : [],
    );
    expect(moves).toEqual(['Switchyard', 'Switchyard']);
    // Its own comment and moves came back as deliveries and changed nothing.
    await linear.deliveriesAnswered();
    type Health = { providers: { provider: string; backlog: number; dead: number }[] };
    await until(
      () => client.must<Health>('GET', '/webhooks'),
      ({ providers }) => providers.every(({ backlog }) => backlog === 0),
      { what: 'all deliveries processed', timeoutMs: 30_000 },
    );
    const deadLetters = await client.must<{ total: number }>('GET', '/webhooks/dead');
    expect(deadLetters.total).toBe(0);
    expect(linear.delivered.every((status) => status === 200)).toBe(true);
    expect(await client.issue(identifier)).toMatchObject({ status: 'completed', attemptCount: 1 });
    expect(service.output()).not.toContain(linear.apiKey);
    expect(await filesWith(service.dataDir, linear.apiKey)).toEqual([]);
  });

  it('do the same by polling alone, and stay as they are while Linear fails', async () => {
    await start(500);
    const { client } = bench;
    linear.fail({ kind: 'status', status: 502 });
    linear.fail({ kind: 'cut' });
    const { id, identifier } = write('Add a file, case:own-commit');
    await reviewed(id);
    expect(await client.settled(identifier)).toMatchObject({
      status: 'completed',
      attemptCount: 1,
    });
  });

  it('are followed in an agent session by whoever delegates them', async () => {
    await start(NEVER_MS);
    const { world } = linear;
    const url = `${bench.service.url}/webhooks/tracker`;
    world.webhooks.push({ id: 'hook', url, secret: SECRET, enabled: true });
    const { title, description } = failingTestIssue;
    // Nobody moves it: to delegate it is enough.
    const { id } = world.add({ title, description }, world.ada);
    const session = world.sessions.delegate(id, world.ada);
    await reviewed(id);
    await until(
      () => world.sessions.statusOf(session),
      (status) => status === 'complete',
      { what: 'the end of the session', timeoutMs: 90_000 },
    );
    expect(session.answeredAtMs! - session.createdAtMs).toBeLessThan(10_000);
    const types = session.activities.map(({ content }) => content.type);
    expect(types[0]).toBe('thought');
    expect(types.filter((type) => type === 'response')).toHaveLength(1);
    expect(session.activities.at(-1)?.content['body']).toContain('pull request');
    expect(session.externalUrls).toEqual([
      { label: 'Attempt 1', url: expect.stringMatching(/\/issues\/ENG-1\?attempt=att_/) as string },
    ]);
    await linear.deliveriesAnswered();
    expect(linear.delivered.every((status) => status === 200)).toBe(true);
  });
});
