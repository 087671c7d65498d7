import { eq } from 'drizzle-orm';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { jobs } from '../../control-plane/src/db/schema/operation/jobs.ts';
import { connectDelivery } from '../../control-plane/src/pull-requests/delivery/connect-delivery.ts';
import { deliverAgain } from '../../control-plane/src/pull-requests/delivery/deliver-again.ts';
import type { Deps } from '../../control-plane/src/deps.ts';
import { callCore } from '../support/core/call-core.ts';
import { PERSON } from '../support/core/core-world.ts';
import { DELIVERY } from '../support/core/scripted-runner.ts';
import { useCoreWorlds } from '../support/core/use-core-worlds.ts';
import { FakeGitHub } from '../support/github/fake-github.ts';
import type { FakeRepository } from '../support/github/fake-state.ts';
import { sceneWithLease } from './runner-protocol/scene.ts';

const make = useCoreWorlds();

describe('a delivery that GitHub refuses for good', () => {
  let fake: FakeGitHub;
  let repository: FakeRepository;
  beforeEach(async () => {
    fake = await FakeGitHub.start();
    repository = fake.addRepository('acme', 'shop');
    repository.branches.set(DELIVERY.branch, DELIVERY.commitSha);
  });
  afterEach(() => fake.close());

  const scene = (more: Record<string, string> = {}) =>
    sceneWithLease(make, {
      SERVICE_CONFIG__codehost__github__endpoint: fake.apiUrl,
      SERVICE_CONFIG__codehost__github__url: fake.webUrl,
      SERVICE_CONFIG__codehost__github__token: fake.credentials.token,
      SERVICE_CONFIG__repos: JSON.stringify([{ prefix: 'SY-', url: fake.urlOf(repository) }]),
      ...more,
    });
  /** A runner that pushes what it is asked to. */
  function withPushes(deps: Deps) {
    const asked: { method: string; params: unknown }[] = [];
    const call = async (_runner: string, method: string, params: unknown) => {
      asked.push({ method, params });
      return { pushed: false, baseBranch: 'main' };
    };
    const connected = async (ids: readonly string[]) => new Map(ids.map((id) => [id, 0]));
    const connections = { ...deps.connections, call, connected } as Deps['connections'];
    return { deps: connectDelivery({ ...deps, connections }), asked };
  }

  it('ends at once with its words, keeps the work, and is repeated without the agent', async () => {
    repository.branches.delete('main');
    const { world, runner, identifier, lease } = await scene();
    await runner.finish(lease, { marker: 'DONE', delivery: DELIVERY, summary: 'Done.' });
    await world.tick();
    const issue = await world.issue(identifier);
    expect(issue).toMatchObject({ status: 'blocked', next_retry_at_ms: null });
    expect(issue.reason).toContain('PullRequest.base: invalid');
    expect(issue.reason_code).toBe('delivery_refused');
    expect(await world.attempt(lease.attemptId)).toMatchObject({
      status: 'failed',
      failure_kind: 'delivery_refused',
      branch: DELIVERY.branch,
      commit_sha: DELIVERY.commitSha,
    });
    const [effect] = await world.deps.db
      .select()
      .from(jobs)
      .where(eq(jobs.kind, 'codehost.open_pull_request'));
    expect(effect).toMatchObject({ status: 'dead', tries: 1 });
    await world.pass(3_600_000);
    expect(runner.offers()).toEqual([]);

    const { deps, asked } = withPushes(world.deps);
    const input = { identifier, caller: PERSON };
    await expect(deliverAgain(deps, input)).rejects.toMatchObject({
      message: expect.stringContaining('PullRequest.base: invalid'),
    });
    repository.branches.set('main', 'f'.repeat(40));
    const pullRequest = await deliverAgain(deps, input);
    expect(repository.pulls).toMatchObject([{ number: pullRequest.number, baseRef: 'main' }]);
    expect(asked.at(-1)).toMatchObject({
      method: 'branch.publish',
      params: { branch: DELIVERY.branch, commitSha: DELIVERY.commitSha },
    });
    expect(await world.issue(identifier)).toMatchObject({
      status: 'completed',
      pull_request_url: pullRequest.url,
    });
    expect(await world.attempt(lease.attemptId)).toMatchObject({
      status: 'completed',
      failure_kind: null,
      pull_request_url: pullRequest.url,
    });
    await world.tick();
    expect(await world.issue(identifier)).toMatchObject({ state: 'In Review' });
    await expect(deliverAgain(deps, input)).rejects.toMatchObject({ code: 'conflict' });
  });

  it('by a rule for pushes uses no further agent run', async () => {
    const { world, runner, identifier, lease } = await scene();
    const words = 'push_refused: error: GH013: Repository rule violations found';
    await runner.finish(lease, {
      outcome: 'failed',
      failureKind: 'delivery_refused',
      message: words,
      marker: 'DONE',
      delivery: DELIVERY,
      summary: 'Done.',
    });
    await world.pass(3_600_000);
    expect(runner.offers()).toEqual([]);
    const issue = await world.issue(identifier);
    expect(issue).toMatchObject({ status: 'blocked', branch: DELIVERY.branch });
    expect(issue.reason).toContain('GH013');
    const { deps } = withPushes(world.deps);
    await deliverAgain(deps, { identifier, caller: PERSON });
    expect(await world.issue(identifier)).toMatchObject({ status: 'completed' });
  });

  it('is not one that may pass: a 502 is tried again and delivers', async () => {
    const { world, runner, identifier, lease } = await scene();
    fake.makeTrouble({ match: /POST \S+\/pulls$/, times: 2, status: 502 });
    await runner.finish(lease, { marker: 'DONE', delivery: DELIVERY, summary: 'Done.' });
    await world.tick();
    expect(await world.issue(identifier)).toMatchObject({ status: 'running' });
    await world.pass(5_000);
    await world.pass(10_000);
    expect(await world.issue(identifier)).toMatchObject({ status: 'completed' });
  });

  it('for want of a draft opens a normal pull request', async () => {
    repository.takesDrafts = false;
    const { world, runner, identifier, lease } = await scene({
      SERVICE_CONFIG__codehost__github__draft: 'true',
    });
    await runner.finish(lease, { marker: 'DONE', delivery: DELIVERY, summary: 'Done.' });
    await world.tick();
    expect(await world.issue(identifier)).toMatchObject({ status: 'completed' });
    expect(repository.pulls).toMatchObject([{ draft: false }]);
  });

  it('is answered with 409 by the route where nothing waits for it', async () => {
    const { world, identifier } = await scene();
    const answer = await callCore(world, 'POST', `/api/v1/${identifier}/deliver`);
    expect(answer).toMatchObject({ status: 409 });
  });
});
