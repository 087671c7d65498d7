import type { ControlPlaneMessageOf } from '@switchyard/shared/protocol/messages';
import { workInProgressRef } from '@switchyard/shared/protocol/work-in-progress-ref';
import { eq } from 'drizzle-orm';
import { describe, expect, it } from 'vitest';
import { jobs } from '../../control-plane/src/db/schema/operation/jobs.ts';
import { type IssueRow, issues } from '../../control-plane/src/db/schema/work/issues.ts';
import { pauseService } from '../../control-plane/src/issues/pause/pause-service.ts';
import { MAX_TRIES } from '../../control-plane/src/jobs/queue/run-jobs.ts';
import { callCore } from '../support/core/call-core.ts';
import { type CoreWorld, PERSON } from '../support/core/core-world.ts';
import { DELIVERY, type ScriptedRunner } from '../support/core/scripted-runner.ts';
import { useCoreWorlds } from '../support/core/use-core-worlds.ts';
import { addRunner, type RunningScene, sceneWithLease } from './runner-protocol/scene.ts';

const make = useCoreWorlds();

type Call = ControlPlaneMessageOf<'call'>;
type Answer =
  | { baseBranch?: string; baseIsGone?: boolean }
  | { code: string; message: string }
  /** Nothing is said. */
  | null;
const OFFLINE = { code: 'host_unreachable', message: 'could not resolve host: git.example' };
const RETRY_MS = [2_000, 4_000, 8_000, 16_000, 32_000, 64_000, 128_000];

const WORK = { commitSha: 'c'.repeat(40), baseCommit: 'a'.repeat(40) };
const checkpoint = (
  trigger: string,
  commitSha: string | null,
  more: { summary?: string; problems?: string[] } = {},
) => ({
  kind: 'checkpoint',
  payload: {
    ...more,
    ordinal: 1,
    trigger,
    threadId: null,
    turnId: null,
    commitSha,
    baseCommit: WORK.baseCommit,
    sessionBlob: null,
    diffBlob: null,
    diffStat: DELIVERY.diffStat,
    tokens: { input: 0, cachedInput: 0, output: 0, reasoning: 0, total: 0 },
  },
});
const workspace = {
  kind: 'workspace',
  payload: {
    key: 'SY-1',
    path: '/w/SY-1',
    durationMs: 5,
    branch: DELIVERY.branch,
    baseBranch: 'main',
    created: true,
    baseCommit: WORK.baseCommit,
  },
};

/** The runner answers the push that it was asked for, after `meanwhile`; the coordinator sees the answer. */
async function push(
  world: CoreWorld,
  runner: ScriptedRunner,
  answer: Answer,
  meanwhile: () => Promise<unknown> = async () => undefined,
): Promise<Call> {
  const sent = world.core.sockets.take(runner.runnerId);
  const calls = sent.filter((message): message is Call => message.type === 'call');
  expect(sent.filter(({ type }) => type === 'offer')).toEqual([]);
  expect(calls).toMatchObject([{ method: 'branch.publish' }]);
  const [call] = calls;
  if (call === undefined) throw new Error('no push was asked for');
  await meanwhile();
  const { callId } = call;
  if (answer !== null) {
    const value = { pushed: true, baseBranch: 'main' };
    await runner.send(
      'code' in answer
        ? { type: 'result', callId, ok: false, error: answer }
        : { type: 'result', callId, ok: true, value: { ...value, ...answer } },
    );
  }
  await world.core.background.settled();
  return call;
}

/** A finished agent whose push failed and may pass. */
async function unpushed(scene: RunningScene, message = OFFLINE.message): Promise<void> {
  const delivery = { ...DELIVERY, pushed: false };
  const said = { marker: 'DONE', delivery, message, summary: 'Done.' } as const;
  expect(await scene.runner.finish(scene.lease, said)).toMatchObject({ type: 'finished' });
  await scene.world.tick();
}

/** Nobody is paid for a further run, however long it takes. */
async function startsNothing({ world, runner, identifier }: RunningScene): Promise<void> {
  await world.pass(3_600_000);
  await runner.hello();
  await world.pass(1_000);
  expect(runner.offers()).toEqual([]);
  expect(await world.issue(identifier)).toMatchObject({ attempt_count: 1 });
}

async function theJob(world: CoreWorld) {
  const isDelivery = eq(jobs.kind, 'codehost.open_pull_request');
  const [job] = await world.deps.db.select().from(jobs).where(isDelivery);
  return job;
}
const repositoryWith = (more: { default_branch?: string }) => ({
  SERVICE_CONFIG__repos: JSON.stringify([{ prefix: 'SY', url: 'file:///srv/shop', ...more }]),
});
const deliver = (world: CoreWorld, identifier: string) =>
  callCore(world, 'POST', `/api/v1/${identifier}/deliver`);

describe('work that could not be pushed', () => {
  it('is pushed again from where it is kept, and its pull request opened', async () => {
    const scene = await sceneWithLease(make);
    const { world, runner, identifier, lease } = scene;
    await unpushed(scene);
    const { params } = await push(world, runner, OFFLINE);
    expect(params).toMatchObject({
      branch: DELIVERY.branch,
      commitSha: DELIVERY.commitSha,
      baseBranch: 'main',
      ref: workInProgressRef(identifier),
      isDelivered: true,
    });
    const waiting = await world.issue(identifier);
    expect(waiting).toMatchObject({ status: 'running', reason_code: 'delivery_repeated' });
    expect(waiting.reason).toContain(OFFLINE.message);
    await world.pass(2_000);
    await push(world, runner, OFFLINE);
    await world.pass(4_000);
    await push(world, runner, {});
    expect(await world.issue(identifier)).toMatchObject({
      status: 'completed',
      reason_code: 'pull_request_opened',
      attempt_count: 1,
      pull_request_url: expect.any(String) as string,
    });
    expect(await world.attempt(lease.attemptId)).toMatchObject({
      status: 'completed',
      marker: 'DONE',
      commit_sha: DELIVERY.commitSha,
    });
  });

  it('leaves the slot of its runner free meanwhile', async () => {
    const scene = await sceneWithLease(make);
    const { world, runner } = scene;
    await unpushed(scene);
    const other = await world.createIssue({ title: 'Another one' });
    await world.tick();
    const sent = world.core.sockets.take(runner.runnerId);
    expect(sent.map(({ type }) => type)).toEqual(['call', 'offer']);
    expect(await world.issue(other)).toMatchObject({ status: 'queued' });
    world.deps.connections.abandon(runner.runnerId);
  });

  it('is pushed after a restart of the control plane', async () => {
    const scene = await sceneWithLease(make);
    const { world, runner, identifier } = scene;
    const delivery = { ...DELIVERY, pushed: false };
    await runner.finish(scene.lease, { marker: 'DONE', delivery, message: 'offline' });
    await world.restart();
    await runner.hello();
    await world.tick();
    await push(world, runner, {});
    expect(await world.issue(identifier)).toMatchObject({ status: 'completed' });
  });

  it('waits for the runner that has it, which uses up no try', async () => {
    const scene = await sceneWithLease(make);
    const { world, runner, identifier } = scene;
    const other = await addRunner(world);
    world.core.sockets.disconnect(runner.runnerId);
    await unpushed(scene);
    expect(await world.issue(identifier)).toMatchObject({ reason_code: 'delivery_repeated' });
    for (let waited = 0; waited < 20; waited += 1) await world.pass(30_000);
    expect(world.core.sockets.take(other.runnerId)).toEqual([]);
    expect(await theJob(world)).toMatchObject({ status: 'pending', tries: 0 });
    await runner.hello();
    await world.pass(30_000);
    await push(world, runner, {});
    expect(await world.issue(identifier)).toMatchObject({ status: 'completed' });
  });

  it('is asked of another runner after a quarter of an hour, whose refusal may be its own', async () => {
    const scene = await sceneWithLease(make);
    const { world, runner, identifier } = scene;
    world.core.sockets.disconnect(runner.runnerId);
    await unpushed(scene);
    const other = await addRunner(world);
    await world.pass(16 * 60_000);
    await push(world, other, {
      code: 'host_auth_failed',
      message: 'permission denied (publickey)',
    });
    expect(await world.issue(identifier)).toMatchObject({ status: 'running' });
    expect(await theJob(world)).toMatchObject({ status: 'pending', tries: 1 });
    await world.pass(2_000);
    await push(world, other, {});
    expect(await world.issue(identifier)).toMatchObject({ status: 'completed' });
  });

  it('is given up where no runner comes for a day', async () => {
    const scene = await sceneWithLease(make);
    const { world, runner, identifier } = scene;
    world.core.sockets.disconnect(runner.runnerId);
    await unpushed(scene);
    for (let tries = 0; tries <= MAX_TRIES; tries += 1) await world.pass(25 * 3_600_000);
    const issue = await world.issue(identifier);
    expect(issue).toMatchObject({ status: 'blocked', reason_code: 'delivery_error' });
    expect(issue.reason).toContain('no runner is connected');
  });

  it('blocks the issue after its last try, and a person delivers it', async () => {
    const scene = await sceneWithLease(make);
    const { world, runner, identifier, lease } = scene;
    await unpushed(scene);
    const odd = { code: 'git_failed', message: 'fatal: the remote hung up' };
    await push(world, runner, odd);
    for (const delayMs of RETRY_MS) {
      expect(await world.issue(identifier)).toMatchObject({ status: 'running' });
      await world.pass(delayMs - 1);
      expect(world.core.sockets.take(runner.runnerId)).toEqual([]);
      await world.pass(1);
      await push(world, runner, odd);
    }
    const issue = await world.issue(identifier);
    expect(issue).toMatchObject({ status: 'blocked', reason_code: 'delivery_error' });
    expect(issue.reason).toContain('fatal: the remote hung up');
    expect(await world.attempt(lease.attemptId)).toMatchObject({
      status: 'failed',
      failure_kind: 'delivery_error',
      commit_sha: DELIVERY.commitSha,
    });
    expect(await theJob(world)).toMatchObject({ status: 'dead', tries: MAX_TRIES });
    await startsNothing(scene);

    const answer = deliver(world, identifier);
    await expect.poll(() => push(world, runner, {})).toBeDefined();
    expect(await answer).toMatchObject({ status: 201 });
    expect(await world.issue(identifier)).toMatchObject({ status: 'completed' });
  });

  it.each([
    ['push_refused', 'the remote refused it: protected branch hook declined'],
    ['host_auth_failed', 'The requested URL returned error: 403'],
    ['repository_missing', 'there is no git repository at that address'],
    ['branch_refused', 'the remote has a branch called switchyard'],
  ])('blocks the issue at once when a person has to act: %s', async (code, message) => {
    const scene = await sceneWithLease(make);
    const { world, runner, identifier } = scene;
    await unpushed(scene);
    await push(world, runner, { code, message });
    const issue = await world.issue(identifier);
    expect(issue).toMatchObject({ status: 'blocked', reason_code: 'delivery_refused' });
    expect(issue.reason).toContain(message);
    await startsNothing(scene);
  });

  it('is asked of no runner where no code host serves its repository', async () => {
    const repos = [{ prefix: 'SY', url: 'https://git.example/team/shop.git' }];
    const scene = await sceneWithLease(make, { SERVICE_CONFIG__repos: JSON.stringify(repos) });
    const { world, runner, identifier } = scene;
    await unpushed(scene);
    await world.core.background.settled();
    const message = 'no code host serves https://git.example/team/shop.git';
    const issue = await world.issue(identifier);
    expect(issue).toMatchObject({ status: 'blocked', reason_code: 'delivery_refused' });
    expect(issue.reason).toContain(message);
    expect(await deliver(world, identifier)).toMatchObject({
      status: 503,
      body: { code: 'unavailable', error: message },
    });
    expect(world.core.sockets.take(runner.runnerId)).toEqual([]);
  });

  it('goes to the branch that is the default one now, where its base was renamed', async () => {
    const scene = await sceneWithLease(make, repositoryWith({}));
    const { world, runner, identifier, lease } = scene;
    await unpushed(scene);
    await push(world, runner, { baseBranch: 'trunk', baseIsGone: true });
    expect(await world.attempt(lease.attemptId)).toMatchObject({
      status: 'completed',
      base_branch: 'trunk',
    });
    expect(await world.issue(identifier)).toMatchObject({ status: 'completed' });
  });

  it('blocks the issue where the branch that the route configures is gone', async () => {
    const scene = await sceneWithLease(make, repositoryWith({ default_branch: 'main' }));
    const { world, runner, identifier } = scene;
    await unpushed(scene);
    await push(world, runner, { baseBranch: 'trunk', baseIsGone: true });
    const issue = await world.issue(identifier);
    expect(issue).toMatchObject({ status: 'blocked', reason_code: 'delivery_refused' });
    expect(issue.reason).toContain('the remote has no branch main');
    await startsNothing(scene);
    await world.restart(repositoryWith({ default_branch: 'trunk' }));
    await runner.hello();
    const answer = deliver(world, identifier);
    await expect
      .poll(() => push(world, runner, { baseBranch: 'trunk', baseIsGone: true }))
      .toMatchObject({ params: { repository: { defaultBranch: 'trunk' } } });
    expect(await answer).toMatchObject({ status: 201 });
  });

  it('is not delivered any more once a person has stopped it', async () => {
    const scene = await sceneWithLease(make);
    const { world, runner, identifier } = scene;
    await unpushed(scene);
    await push(world, runner, OFFLINE);
    expect(await callCore(world, 'POST', `/api/v1/${identifier}/abort`)).toMatchObject({
      status: 202,
    });
    expect(await world.issue(identifier)).toMatchObject({ status: 'cancelled' });
    await startsNothing(scene);
  });

  it('is not delivered any more once the issue is over in the tracker', async () => {
    const scene = await sceneWithLease(make);
    const { world, runner, identifier } = scene;
    await unpushed(scene);
    await push(world, runner, OFFLINE);
    await world.editIssue(identifier, { state: 'Canceled' });
    await world.pass(60_000);
    expect(await world.issue(identifier)).toMatchObject({ status: 'cancelled', state: 'Canceled' });
    await startsNothing(scene);
  });

  it('is delivered although the service was paused before it was reported', async () => {
    const scene = await sceneWithLease(make);
    const { world, runner, identifier } = scene;
    await pauseService(world.deps, { reason: 'lunch', stopRunning: true, caller: PERSON });
    expect((await world.attempt(scene.lease.attemptId)).cancel_kind).toBe('pause');
    world.core.sockets.take(runner.runnerId);
    await unpushed(scene, 'not pushed yet: paused');
    await push(world, runner, {});
    expect(await world.issue(identifier)).toMatchObject({ status: 'completed', attempt_count: 1 });
  });

  it('is no result where a person stopped the attempt before it was reported', async () => {
    const scene = await sceneWithLease(make);
    const { world, identifier } = scene;
    await callCore(world, 'POST', `/api/v1/${identifier}/abort`);
    world.core.sockets.take(scene.runner.runnerId);
    await unpushed(scene);
    expect(await world.issue(identifier)).toMatchObject({ status: 'cancelled' });
    expect(world.core.sockets.take(scene.runner.runnerId)).toEqual([]);
  });
});

describe('unfinished work that a person publishes', () => {
  it('goes to the branch that is the default one now, where its base was renamed', async () => {
    const scene = await sceneWithLease(make, repositoryWith({}));
    const { world, runner, identifier, lease } = scene;
    await runner.events(lease, workspace, checkpoint('turn_completed', WORK.commitSha));
    await runner.finish(lease, { marker: 'BLOCKED', summary: 'I need a key.' });
    const answer = callCore(world, 'POST', `/api/v1/${identifier}/publish`);
    const asked = () => push(world, runner, { baseBranch: 'trunk', baseIsGone: true });
    await expect
      .poll(asked)
      .toMatchObject({ params: expect.not.objectContaining({ isDelivered: true }) as unknown });
    expect(await answer).toMatchObject({ status: 201 });
    const opened = await callCore(world, 'GET', '/api/v1/local/pull-requests');
    expect(JSON.stringify(opened)).toContain('"base":"trunk"');
  });
});

describe('a draft of work that is not in order', () => {
  it('says in the pull request what is wrong with it', async () => {
    const scene = await sceneWithLease(make);
    const { world, runner, identifier, lease } = scene;
    const problems = ['total.ts:3 a conflict marker is left (conflict_marker)'];
    const saved = checkpoint('turn_completed', WORK.commitSha, { problems });
    await runner.events(lease, workspace, saved);
    await runner.finish(lease, { marker: 'BLOCKED', summary: 'I need a key.' });
    const answer = callCore(world, 'POST', `/api/v1/${identifier}/publish`);
    await expect.poll(() => push(world, runner, {})).toBeDefined();
    expect(await answer).toMatchObject({ status: 201 });
    const opened = await callCore(world, 'GET', '/api/v1/local/pull-requests');
    expect(JSON.stringify(opened)).toContain('cannot be merged as it is');
    expect(JSON.stringify(opened)).toContain('total.ts:3 a conflict marker is left');
  });
});

describe('work that holds what may not be delivered', () => {
  it('blocks the issue and is not delivered by a click either', async () => {
    const scene = await sceneWithLease(make);
    const { world, runner, identifier, lease } = scene;
    const { branch, commitSha, diffStat } = DELIVERY;
    await runner.events(lease, { kind: 'snapshot', payload: { commitSha, branch, diffStat } });
    await runner.finish(lease, {
      outcome: 'failed',
      failureKind: 'delivery_refused',
      reasonCode: 'work_refused',
      marker: 'DONE',
      message: 'not pushed: .github/workflows/x.yml: runs on other machines',
    });
    await startsNothing(scene);
    expect(await world.issue(identifier)).toMatchObject({ status: 'blocked' });
    expect(await deliver(world, identifier)).toMatchObject({ status: 409 });
  });
});

describe('a delivery that an older runner gave up', () => {
  it('starts no further agent run', async () => {
    const scene = await sceneWithLease(make);
    const { world, runner, identifier, lease } = scene;
    const said = { outcome: 'failed', failureKind: 'delivery_error', marker: 'DONE' } as const;
    await runner.finish(lease, { ...said, message: 'git push failed: hm' });
    await startsNothing(scene);
    expect(await world.issue(identifier)).toMatchObject({
      status: 'blocked',
      reason_code: 'delivery_error',
    });
    expect(await deliver(world, identifier)).toMatchObject({ status: 409 });
  });
});

describe('a runner that is lost while it delivers', () => {
  async function lost(trigger: string, commitSha: string | null) {
    const scene = await sceneWithLease(make);
    const { world, runner, lease } = scene;
    await runner.events(
      lease,
      workspace,
      checkpoint(trigger, commitSha, { summary: 'Fixed the total.' }),
    );
    world.core.sockets.disconnect(runner.runnerId);
    const other = await addRunner(world);
    world.clock.advance(
      world.deps.service.leaseTimes.ttlMs + world.deps.service.leaseTimes.graceMs,
    );
    await other.hello();
    await world.tick();
    return { ...scene, other };
  }

  it('has its work delivered by another one from the hidden ref', async () => {
    const { world, other, identifier, lease } = await lost('delivering', WORK.commitSha);
    await push(world, other, {});
    expect(await world.issue(identifier)).toMatchObject({ status: 'completed', attempt_count: 1 });
    expect(await world.attempt(lease.attemptId)).toMatchObject({
      commit_sha: WORK.commitSha,
      marker: 'DONE',
      loss_count: 0,
    });
    const opened = await callCore(world, 'GET', '/api/v1/local/pull-requests');
    expect(JSON.stringify(opened)).toContain('Fixed the total.');
  });

  it.each([
    ['its agent had work left', 'turn_completed', WORK.commitSha],
    ['nothing but itself has the commit', 'delivering', null],
  ])('has its work taken over by another one where %s', async (_why, trigger, commitSha) => {
    const { other, lease } = await lost(trigger, commitSha);
    expect(other.offer()).toMatchObject({ attemptId: lease.attemptId });
  });
});

describe('an issue that changes while its pull request is opened', () => {
  const REFUSED = { code: 'push_refused', message: 'the remote refused it' };
  const opened = expect.stringContaining('/pull-requests/') as string;
  type Meanwhile = (scene: RunningScene) => Promise<unknown>;
  const post = (path: string, body?: Record<string, unknown>): Meanwhile => {
    return ({ world, identifier }) =>
      callCore(world, 'POST', `/api/v1/${identifier}/${path}`, body);
  };
  const setIssue = (change: Partial<IssueRow>): Meanwhile => {
    return ({ world }) => world.deps.db.update(issues).set(change);
  };

  async function asked(scene: RunningScene, act: string, meanwhile: Meanwhile) {
    const { world, runner, identifier } = scene;
    const answer = callCore(world, 'POST', `/api/v1/${identifier}/${act}`);
    await expect.poll(() => push(world, runner, {}, () => meanwhile(scene))).toBeDefined();
    expect(await answer).toMatchObject({ status: 201, body: { url: opened } });
    return world.issue(identifier);
  }

  async function refused() {
    const scene = await sceneWithLease(make);
    await unpushed(scene);
    await push(scene.world, scene.runner, REFUSED);
    return scene;
  }

  async function unfinished() {
    const scene = await sceneWithLease(make);
    const { runner, lease } = scene;
    await runner.events(lease, workspace, checkpoint('turn_completed', WORK.commitSha));
    await runner.finish(lease, { marker: 'BLOCKED', summary: 'I need a key.' });
    return scene;
  }

  it('is delivered as it stands then', async () => {
    const issue = await asked(await refused(), 'deliver', post('model', { model: 'm-2' }));
    expect(issue).toMatchObject({
      status: 'completed',
      reason_code: 'pull_request_opened',
      model: 'm-2',
      pull_request_url: opened,
    });
  });

  it.each([
    ['a retry', 'retry', { status: 'queued', reason_code: 'retry_requested' }],
    ['a stop', 'abort', { status: 'cancelled', reason_code: 'stopped_by_person' }],
  ])('stays what %s made of it, with the pull request delivered', async (_what, path, stays) => {
    const scene = await refused();
    const { world, lease, identifier } = scene;
    const issue = await asked(scene, 'deliver', post(path));
    expect(issue).toMatchObject({ ...stays, state: 'In Progress', pull_request_url: opened });
    expect(await world.attempt(lease.attemptId)).toMatchObject({
      status: 'completed',
      failure_kind: null,
      pull_request_url: opened,
    });
    const told = await callCore(world, 'GET', '/api/v1/notifications');
    expect(JSON.stringify(told.body)).toContain(`A pull request for ${identifier} is open`);
    await world.tick();
    expect(await world.issue(identifier)).toMatchObject({ state: 'In Progress' });
  });

  it.each([
    ['begins again', post('retry'), { status: 'queued', pull_request_url: opened }],
    [
      'has a newer one',
      setIssue({ pull_request_url: 'https://host.example/pull/8', branch: 'switchyard/newer' }),
      { pull_request_url: 'https://host.example/pull/8', branch: 'switchyard/newer' },
    ],
    [
      'is another one under its id',
      setIssue({ workspace_key: 'SY-1-0123456789', pull_request_url: null, branch: null }),
      { pull_request_url: null, branch: null },
    ],
  ])('is published where it %s', async (_what, meanwhile, stays) => {
    expect(await asked(await unfinished(), 'publish', meanwhile)).toMatchObject(stays);
  });

  it('shows the pull request of an attempt that is stopped meanwhile', async () => {
    const scene = await sceneWithLease(make);
    const { world, runner, identifier, lease } = scene;
    await unpushed(scene);
    await push(world, runner, {}, () => post('abort')(scene));
    expect(await world.issue(identifier)).toMatchObject({
      status: 'cancelled',
      state: 'In Progress',
      pull_request_url: opened,
    });
    expect(await world.attempt(lease.attemptId)).toMatchObject({
      status: 'cancelled',
      pull_request_url: opened,
    });
  });

  it('is not begun again for a change that was seen before its end', async () => {
    const states = JSON.stringify({ review: null });
    const scene = await sceneWithLease(make, { SERVICE_CONFIG__tracker__states: states });
    const { world, runner, identifier } = scene;
    await unpushed(scene);
    await push(world, runner, {}, async () => {
      await world.editIssue(identifier, { priority: 1 });
      await callCore(world, 'POST', '/api/v1/refresh');
      await world.tick();
    });
    expect(await world.issue(identifier)).toMatchObject({ status: 'completed', priority: 1 });
    await startsNothing(scene);
  });
});
