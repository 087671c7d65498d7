import type { IssueDetail } from '@switchyard/shared/api/work/issue';
import type { MergeQueue, MergeQueueEntry } from '@switchyard/shared/api/pull-requests/merge-queue';
import type { IssuePullRequest } from '@switchyard/shared/api/work/pull-request';
import { MERGE_FEATURE } from '@switchyard/shared/protocol/features';
import type { ControlPlaneMessageOf, RunnerMessageOf } from '@switchyard/shared/protocol/messages';
import { describe, expect, it } from 'vitest';
import { issues } from '../../control-plane/src/db/schema/work/issues.ts';
import { callCore } from '../support/core/call-core.ts';
import type { CoreWorld } from '../support/core/core-world.ts';
import { DELIVERY, type Lease, scriptRunner } from '../support/core/scripted-runner.ts';
import { useCoreWorlds } from '../support/core/use-core-worlds.ts';

const make = useCoreWorlds();
const URL = 'file:///srv/repositories/shop';
const CHECKS = [{ name: 'test', command: 'npm test' }];
const BASE = 'd'.repeat(40);
const MERGE = 'e'.repeat(40);
const MERGED = { baseCommit: BASE, mergeCommit: MERGE };

type Finish = RunnerMessageOf<'finish'>;
type Offer = ControlPlaneMessageOf<'offer'>;

/** A world whose repository has a merge policy, with a runner that can test merges. */
async function sceneWith(
  merge: Record<string, unknown> | null,
  { slots = 3, features = [MERGE_FEATURE], route = {} } = {},
) {
  const routes = [{ prefix: 'SY', url: URL, checks: CHECKS, ...(merge && { merge }), ...route }];
  const world = await make({ SERVICE_CONFIG__repos: JSON.stringify(routes) });
  const runner = scriptRunner(world, await world.join([]), slots);
  await runner.hello({ features });
  return { world, runner };
}
type Scene = Awaited<ReturnType<typeof sceneWith>>;

/** An issue whose agent has delivered its work as a pull request. */
async function delivered(
  { world, runner }: Scene,
  issue: Record<string, unknown> = {},
  delivery: Partial<NonNullable<Finish['delivery']>> = {},
): Promise<{ identifier: string; id: string }> {
  const identifier = await world.createIssue(issue);
  await world.tick();
  const offers = runner.offers();
  const offer = offers.find(({ spec }) => spec.issue.identifier === identifier);
  if (offer === undefined) throw new Error(`no offer of ${identifier}`);
  const lease = await runner.accept(offer);
  const branch = offer.spec.branch ?? '';
  const work = { ...DELIVERY, branch, ...delivery };
  await runner.finish(lease, { marker: 'DONE', summary: 'done', delivery: work });
  await world.tick();
  return { identifier, id: (await pullRequest(world, identifier)).id };
}

async function pullRequest(world: CoreWorld, identifier: string) {
  const { status, body } = await callCore(world, 'GET', `/api/v1/${identifier}/pull-request`);
  expect({ status, body }).toMatchObject({ status: 200 });
  return (body as IssuePullRequest).pullRequest;
}

async function entries(world: CoreWorld): Promise<MergeQueueEntry[]> {
  const { body } = await callCore(world, 'GET', '/api/v1/merge-queue');
  return (body as MergeQueue).entries;
}

async function detail(world: CoreWorld, identifier: string): Promise<IssueDetail> {
  return (await callCore(world, 'GET', `/api/v1/${identifier}`)).body;
}

const enter = (world: CoreWorld, id: string) =>
  callCore(world, 'POST', `/api/v1/merge-queue/${id}/enter`);
const leave = (world: CoreWorld, id: string) =>
  callCore(world, 'POST', `/api/v1/merge-queue/${id}/leave`);

/** The one test of a merge that was offered since the last look. */
function offeredTest({ runner }: Scene): Offer {
  const offers = runner.offers().filter(({ spec }) => spec.merge !== undefined);
  if (offers[0] === undefined || offers.length !== 1) throw new Error(`${offers.length} tests`);
  return offers[0];
}

async function endTest(scene: Scene, lease: Lease, finish: Partial<Finish>) {
  scene.world.clock.advance(1_000);
  await scene.runner.finish(lease, finish);
  await scene.world.tick();
  await scene.world.tick();
}

async function permit({ runner }: Scene, lease: Lease, commitSha = MERGE) {
  const { attemptId, epoch } = lease;
  const answer = await runner.sendOne({
    type: 'call',
    callId: `permit-${attemptId}-${epoch}`,
    attemptId,
    epoch,
    method: 'push.permit',
    params: { branch: 'main', commitSha, repositoryUrl: URL },
    timeoutMs: 5_000,
  });
  return answer.type === 'result' && answer.ok ? answer.value : answer;
}

describe('a pull request that is merged when green', () => {
  it('is tested on the merge with its base by no agent, merged, and its issue done', async () => {
    const scene = await sceneWith({ mode: 'when-green' });
    const { world } = scene;
    const { identifier, id } = await delivered(scene);
    const before = await pullRequest(world, identifier);
    const offer = offeredTest(scene);
    expect(offer.spec).toMatchObject({
      prompt: '',
      checks: [{ name: 'test', command: 'npm test' }],
      merge: {
        baseBranch: 'main',
        branch: before.branch,
        expectedCommit: DELIVERY.commitSha,
        message: expect.stringContaining(`Merge pull request #${before.number}`),
      },
    });
    expect(offer.spec).not.toHaveProperty('tools');
    const lease = await scene.runner.accept(offer);
    expect(await detail(world, identifier)).toMatchObject({
      status: 'running',
      state: 'In Review',
    });
    expect(await entries(world)).toMatchObject([
      { pullRequestId: id, state: 'testing', position: null, attemptId: lease.attemptId },
    ]);
    expect(await permit(scene, lease)).toEqual({ allowed: true });
    await endTest(scene, lease, { marker: 'DONE', merged: MERGED });
    expect(await pullRequest(world, identifier)).toMatchObject({
      status: 'merged',
      mergeCommitSha: MERGE,
    });
    expect(await entries(world)).toEqual([]);
    expect(await detail(world, identifier)).toMatchObject({
      status: 'completed',
      reasonCode: 'pull_request_merged',
      state: 'Done',
    });
  });
});

const conflict = {
  outcome: 'failed',
  failureKind: 'delivery_refused',
  reasonCode: 'merge_conflict',
  message: 'switchyard/sy-1 conflicts with main in "a.txt"',
} satisfies Partial<Finish>;
const failedBy = (reasonCode: string, message: string) =>
  ({ ...conflict, reasonCode, message }) satisfies Partial<Finish>;

/** The next test of a merge, under its lease. */
async function test(scene: Scene): Promise<{ lease: Lease; offer: Offer }> {
  const offer = offeredTest(scene);
  return { offer, lease: await scene.runner.accept(offer) };
}

async function place({ world }: Scene, id: string) {
  return (await entries(world)).find(({ pullRequestId }) => pullRequestId === id) ?? null;
}

describe('the merge queue', () => {
  it('tests one pull request of a base branch at a time, the most urgent first', async () => {
    const scene = await sceneWith({ mode: 'ask' }, { slots: 9 });
    const { world } = scene;
    const low = await delivered(scene, { priority: 4 });
    const none = await delivered(scene);
    const high = await delivered(scene, { priority: 1 });
    for (const { id } of [none, low, high])
      expect((await enter(world, id)).body).toMatchObject({
        state: 'waiting',
        enteredBy: 'local',
      });
    await world.tick();
    const first = await test(scene);
    expect(first.offer.spec.issue.identifier).toBe(high.identifier);
    expect(await entries(world)).toMatchObject([
      { issueIdentifier: high.identifier, state: 'testing' },
      { issueIdentifier: low.identifier, position: 1, reason: 'waits for the one before it' },
      { issueIdentifier: none.identifier, position: 2, reason: 'waits for 2 before it' },
    ]);
    await endTest(scene, first.lease, { marker: 'DONE', merged: MERGED });
    const second = await test(scene);
    expect(second.offer.spec.issue.identifier).toBe(low.identifier);
  });

  it('lets no issue be merged before those that block it', async () => {
    const scene = await sceneWith({ mode: 'ask' }, { slots: 9 });
    const { world } = scene;
    const first = await delivered(scene);
    const second = await delivered(scene, { priority: 1 });
    await world.editIssue(second.identifier, { blockedBy: [first.identifier] });
    await world.tick();
    await enter(world, second.id);
    await world.tick();
    expect(scene.runner.offers()).toEqual([]);
    expect(await place(scene, second.id)).toMatchObject({
      state: 'waiting',
      reason: `waits for ${first.identifier}, which must be done first`,
    });
    await enter(world, first.id);
    await world.tick();
    const { lease, offer } = await test(scene);
    expect(offer.spec.issue.identifier).toBe(first.identifier);
    await endTest(scene, lease, { marker: 'DONE', merged: MERGED });
    await world.tick();
    expect((await test(scene)).offer.spec.issue.identifier).toBe(second.identifier);
  });

  it('ends the test of an issue that is blocked after it began', async () => {
    const scene = await sceneWith({ mode: 'when-green' }, { features: [] });
    const { world, runner } = scene;
    const { identifier } = await delivered(scene);
    const blocker = await world.createIssue({ labels: [], state: 'Backlog' });
    await world.editIssue(identifier, { blockedBy: [blocker] });
    await world.tick();
    await runner.hello({ features: [MERGE_FEATURE] });
    await world.tick();
    await endTest(scene, (await test(scene)).lease, { marker: 'DONE', merged: MERGED });
    expect((await pullRequest(world, identifier)).status).toBe('merged');
  });

  it('holds a pull request whose test cannot be offered, so that others go on', async () => {
    const scene = await sceneWith({ mode: 'when-green' }, { features: [] });
    const { world } = scene;
    const { identifier, id } = await delivered(scene);
    await world.deps.db.update(issues).set({ status: 'idle', reason: 'cannot be read' });
    await world.tick();
    expect(await place(scene, id)).toMatchObject({ state: 'held' });
    expect((await world.issue(identifier)).merging).toBeNull();
  });

  it('gives a conflict back to the agent, and tests what it makes of it', async () => {
    const scene = await sceneWith({ mode: 'when-green' });
    const { world, runner } = scene;
    const { identifier, id } = await delivered(scene);
    const { lease } = await test(scene);
    await endTest(scene, lease, conflict);
    expect(await place(scene, id)).toMatchObject({
      state: 'returned',
      reasonCode: 'merge_conflict',
      reason: conflict.message,
    });
    const work = runner.offer();
    expect(work.spec).not.toHaveProperty('merge');
    expect(work.spec.prompt).toContain('conflicts with "main": merge it and resolve');
    expect(work.spec.prompt).toContain('conflicts with main in "a.txt"');
    const again = await runner.accept(work);
    const commitSha = 'f'.repeat(40);
    const branch = work.spec.branch ?? '';
    await runner.finish(again, { marker: 'DONE', delivery: { ...DELIVERY, branch, commitSha } });
    await world.tick();
    await world.tick();
    const second = await test(scene);
    expect(second.offer.spec.merge?.expectedCommit).toBe(commitSha);
    await endTest(scene, second.lease, { marker: 'DONE', merged: MERGED });
    const merged = await pullRequest(world, identifier);
    expect(merged.status).toBe('merged');
    expect(merged.body).toContain('- 2 attempts');
  });

  it('gives the output of a failed check back to the agent', async () => {
    const scene = await sceneWith({ mode: 'when-green' });
    await delivered(scene);
    const { lease } = await test(scene);
    const check = { name: 'test', commitSha: MERGE, run: 1 };
    await scene.runner.events(
      lease,
      { kind: 'check', payload: { state: 'started', ...check } },
      {
        kind: 'check',
        payload: {
          state: 'ended',
          ...check,
          result: 'failed',
          exitCode: 1,
          durationMs: 5,
          output: 'expected 2 to be 3',
        },
      },
    );
    await endTest(scene, lease, failedBy('checks_failed', 'a check failed: test'));
    const { spec } = scene.runner.offer();
    expect(spec.prompt).toContain('The check "test" failed');
    expect(spec.prompt).toContain('On the merge with main');
    expect(spec.prompt).toContain('expected 2 to be 3');
  });

  it('leaves to a person what the agent did not change, or has no attempts left for', async () => {
    const scene = await sceneWith({ mode: 'when-green' });
    const { world, runner } = scene;
    const { identifier, id } = await delivered(scene);
    await endTest(scene, (await test(scene)).lease, conflict);
    await runner.finish(await runner.accept(runner.offer()), { marker: 'DONE' });
    await world.tick();
    expect(await place(scene, id)).toMatchObject({
      state: 'held',
      reasonCode: 'merge_conflict',
      reason: `the agent did not change it after this: ${conflict.message}`,
    });
    await world.restart({
      SERVICE_CONFIG__repos: JSON.stringify([
        { prefix: 'SY', url: URL, checks: CHECKS, merge: { mode: 'when-green' } },
      ]),
      SERVICE_CONFIG__agent__maxFeedbackAttempts: '1',
    });
    await runner.hello({ features: [MERGE_FEATURE] });
    expect((await enter(world, id)).status).toBe(200);
    await world.tick();
    await endTest(scene, (await test(scene)).lease, conflict);
    expect(await place(scene, id)).toMatchObject({ state: 'held', reasonCode: 'merge_conflict' });
    expect(await detail(world, identifier)).toMatchObject({
      status: 'completed',
      reasonCode: 'feedback_limit',
    });
  });

  it('tests again after trouble of a machine, later each time, and then asks a person', async () => {
    const scene = await sceneWith({ mode: 'when-green' });
    const { world } = scene;
    const { id, identifier } = await delivered(scene);
    const trouble = { outcome: 'failed', failureKind: 'workspace_error', message: 'disk' } as const;
    for (let tries = 1; tries < 5; tries += 1) {
      await endTest(scene, (await test(scene)).lease, trouble);
      expect(await place(scene, id)).toMatchObject({
        state: 'waiting',
        reason: expect.stringContaining('disk'),
      });
      expect(scene.runner.offers()).toEqual([]);
      await world.pass(15_000 * 2 ** (tries - 1));
    }
    await endTest(scene, (await test(scene)).lease, trouble);
    expect(await place(scene, id)).toMatchObject({ state: 'held', reasonCode: 'merge_failed' });
    const { run_count: runs, unattended_runs: unattended } = await world.issue(identifier);
    expect({ runs, unattended }).toEqual({ runs: 1, unattended: 1 });
  });

  it('tests again at once on a base that has moved', async () => {
    const scene = await sceneWith({ mode: 'when-green' });
    await delivered(scene);
    const moved = failedBy('merge_base_moved', 'main moved during the test');
    await endTest(scene, (await test(scene)).lease, moved);
    expect(offeredTest(scene).spec.merge).toBeDefined();
  });

  it('goes on with another runner when one is lost', async () => {
    const scene = await sceneWith({ mode: 'when-green' });
    const { world, runner } = scene;
    const { identifier } = await delivered(scene);
    await test(scene);
    world.core.sockets.disconnect(runner.runnerId);
    for (let at = 0; at < 12; at += 1) await world.pass(15_000);
    await runner.hello({ features: [MERGE_FEATURE] });
    await world.tick();
    const { lease } = await test(scene);
    await endTest(scene, lease, { marker: 'DONE', merged: MERGED });
    expect((await pullRequest(world, identifier)).status).toBe('merged');
  });

  it('offers tests only to runners that can run them, and says so', async () => {
    const scene = await sceneWith({ mode: 'when-green' }, { features: [] });
    const { identifier } = await delivered(scene);
    expect(scene.runner.offers()).toEqual([]);
    expect(await detail(scene.world, identifier)).toMatchObject({
      status: 'queued',
      reason: expect.stringContaining('newer runner'),
    });
  });
});

describe('people and the merge queue', () => {
  it('take a pull request out: a test is stopped and nothing is pushed', async () => {
    const scene = await sceneWith({ mode: 'when-green' });
    const { world } = scene;
    const { identifier, id } = await delivered(scene);
    const { lease } = await test(scene);
    expect((await callCore(world, 'POST', `/api/v1/${identifier}/retry`)).status).toBe(409);
    expect((await leave(world, id)).body).toMatchObject({
      state: 'held',
      reasonCode: 'merge_removed',
      reason: 'taken out of the merge queue by the local user',
    });
    expect(await permit(scene, lease)).toMatchObject({ allowed: false });
    await endTest(scene, lease, { outcome: 'cancelled' });
    expect(await place(scene, id)).toMatchObject({ state: 'held', reasonCode: 'merge_removed' });
    expect(await detail(world, identifier)).toMatchObject({
      status: 'completed',
      reasonCode: 'pull_request_opened',
    });
    await world.tick();
    expect(scene.runner.offers()).toEqual([]);
    await enter(world, id);
    await world.tick();
    expect(offeredTest(scene).spec.issue.identifier).toBe(identifier);
    const audit = JSON.stringify((await callCore(world, 'GET', '/api/v1/audit?limit=9')).body);
    expect(audit).toContain('"pull_request.dequeue"');
    expect(audit).toContain('"pull_request.queue"');
  });

  it('take it out before a runner has it, or stop its issue', async () => {
    const scene = await sceneWith({ mode: 'when-green' }, { features: [] });
    const { world } = scene;
    const { identifier, id } = await delivered(scene);
    expect((await leave(world, id)).body).toMatchObject({ state: 'held' });
    expect(await detail(world, identifier)).toMatchObject({ status: 'completed' });
    await enter(world, id);
    await world.tick();
    expect((await callCore(world, 'POST', `/api/v1/${identifier}/abort`)).status).toBe(202);
    await world.tick();
    expect(await place(scene, id)).toMatchObject({ state: 'held', reasonCode: 'merge_removed' });
  });

  it('close it during a test: its runner is not permitted to push', async () => {
    const scene = await sceneWith({ mode: 'when-green' });
    const { world } = scene;
    const { identifier, id } = await delivered(scene);
    const { lease } = await test(scene);
    await callCore(world, 'POST', `/api/v1/local/pull-requests/${id}/close`);
    expect(await permit(scene, lease)).toMatchObject({
      allowed: false,
      reason: 'its pull request is closed',
    });
    await endTest(scene, lease, failedBy('merge_removed', 'its pull request is closed'));
    expect(await entries(world)).toEqual([]);
    expect((await pullRequest(world, identifier)).status).toBe('closed');
  });

  it('close it too late: what the repository has is recorded as merged', async () => {
    const scene = await sceneWith({ mode: 'when-green' });
    const { world } = scene;
    const { identifier, id } = await delivered(scene);
    const { lease } = await test(scene);
    expect(await permit(scene, lease)).toEqual({ allowed: true });
    await leave(world, id);
    await callCore(world, 'POST', `/api/v1/local/pull-requests/${id}/close`);
    await world.tick();
    await endTest(scene, lease, { marker: 'DONE', merged: MERGED });
    expect(await pullRequest(world, identifier)).toMatchObject({
      status: 'merged',
      mergeCommitSha: MERGE,
    });
    expect(await entries(world)).toEqual([]);
  });

  it('ask for a commit: what changed since is not merged', async () => {
    const scene = await sceneWith({ mode: 'ask' });
    const { world, runner } = scene;
    const { id, identifier } = await delivered(scene);
    expect(await entries(world)).toEqual([]);
    await enter(world, id);
    await world.tick();
    await endTest(scene, (await test(scene)).lease, conflict);
    const work = runner.offer();
    const branch = work.spec.branch ?? '';
    const delivery = { ...DELIVERY, branch, commitSha: 'f'.repeat(40) };
    await runner.finish(await runner.accept(work), { marker: 'DONE', delivery });
    await world.tick();
    await world.tick();
    expect(scene.runner.offers()).toEqual([]);
    expect(await place(scene, id)).toMatchObject({
      state: 'held',
      reasonCode: 'merge_branch_moved',
    });
    expect((await pullRequest(world, identifier)).status).toBe('open');
  });

  it('are asked for what the policy leaves to them', async () => {
    const scene = await sceneWith({ mode: 'when-green', max_changed_lines: 10 });
    const { world } = scene;
    const diffStat = { files: 2, insertions: 9, deletions: 2 };
    const { id } = await delivered(scene, {}, { diffStat });
    expect(await place(scene, id)).toMatchObject({
      state: 'held',
      reasonCode: 'merge_condition',
      reason: 'it changes 11 lines, and more than 10 are left to a person',
    });
    await enter(world, id);
    await world.tick();
    expect(offeredTest(scene).spec.merge).toBeDefined();
  });

  it('merge what they move in the tracker meanwhile, and stop what they end there', async () => {
    const scene = await sceneWith({ mode: 'when-green' });
    const { world } = scene;
    const { identifier } = await delivered(scene);
    const { lease } = await test(scene);
    await world.editIssue(identifier, { state: 'Backlog' });
    await world.tick();
    expect(await permit(scene, lease)).toEqual({ allowed: true });
    const other = await delivered(scene);
    await world.editIssue(identifier, { state: 'Canceled' });
    await world.tick();
    expect((await world.attempt(lease.attemptId)).cancel_kind).toBe('tracker');
    expect(other.identifier).not.toBe(identifier);
  });

  it('take the checks of a repository away: nothing is merged untested', async () => {
    const scene = await sceneWith({ mode: 'when-green' }, { features: [] });
    const { world, runner } = scene;
    const { identifier } = await delivered(scene);
    const route = { prefix: 'SY', url: URL, merge: { mode: 'when-green' } };
    await world.restart({ SERVICE_CONFIG__repos: JSON.stringify([route]) });
    await runner.hello({ features: [MERGE_FEATURE] });
    await world.tick();
    expect(runner.offers()).toEqual([]);
    expect(await entries(world)).toEqual([]);
    expect(await detail(world, identifier)).toMatchObject({ status: 'completed' });
  });

  it.each([
    ['without a merge policy', null, {}, 'the merge queue is off for this repository'],
    ['that people merge', { mode: 'never' }, {}, 'the merge queue is off for this repository'],
    ['without checks', { mode: 'ask' }, { checks: [] }, 'declares no checks'],
  ])('cannot queue a pull request of a repository %s', async (_name, merge, route, why) => {
    const scene = await sceneWith(merge, { route });
    const { id } = await delivered(scene);
    const { status, body } = await enter(scene.world, id);
    expect({ status, body }).toMatchObject({
      status: 409,
      body: { error: expect.stringContaining(why) },
    });
    expect(await entries(scene.world)).toEqual([]);
  });

  it('are told of a pull request that does not exist, or is not queued', async () => {
    const { world } = await sceneWith({ mode: 'ask' });
    expect((await enter(world, 'pr_none')).status).toBe(404);
    expect((await leave(world, 'pr_none')).status).toBe(404);
    expect((await callCore(world, 'GET', '/api/v1/merge-queue/pr_none')).status).toBe(404);
  });
});
