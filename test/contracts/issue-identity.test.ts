import type { PullRequest } from '@switchyard/shared/api/work/pull-request';
import type { ControlPlaneMessageOf } from '@switchyard/shared/protocol/messages';
import { workInProgressRef } from '@switchyard/shared/protocol/work-in-progress-ref';
import { workspaceKey } from '@switchyard/shared/protocol/workspace-key';
import { eq } from 'drizzle-orm';
import { describe, expect, it } from 'vitest';
import { attempts } from '../../control-plane/src/db/schema/work/attempts.ts';
import { ownCommits } from '../../control-plane/src/attempts/identity/own-commits.ts';
import { checkpoints } from '../../control-plane/src/db/schema/work/checkpoints.ts';
import { issues } from '../../control-plane/src/db/schema/work/issues.ts';
import { localIssues } from '../../control-plane/src/db/schema/work/local-issues.ts';
import { issuePullRequest } from '../../control-plane/src/issues/issue-pull-request.ts';
import { syncIssues } from '../../control-plane/src/issues/sync/sync-tracker-issues.ts';
import { finishMergedIssue } from '../../control-plane/src/pull-requests/delivery/finish-merged-issue.ts';
import { issueOfPullRequest } from '../../control-plane/src/pull-requests/rows/issue-of-pull-request.ts';
import { callCore } from '../support/core/call-core.ts';
import type { CoreWorld } from '../support/core/core-world.ts';
import { DELIVERY, type Lease, type ScriptedRunner } from '../support/core/scripted-runner.ts';
import { useCoreWorlds } from '../support/core/use-core-worlds.ts';
import { addRunner, type Scene, sceneWithRunner } from './runner-protocol/scene.ts';

const make = useCoreWorlds();
type Spec = ControlPlaneMessageOf<'offer'>['spec'];

const REPOSITORY = 'file:///srv/repositories/shop';
const OTHER = 'file:///srv/repositories/other';
const COMMIT = 'b'.repeat(40);
const OTHERS = 'd'.repeat(40);

/** An issue of the built-in tracker under another name, as a tracker with two prefixes has them. */
async function named(world: CoreWorld, identifier: string, labels: string[] = []): Promise<void> {
  const made = await world.createIssue({ title: 'Fix it', labels });
  const { db } = world.deps;
  await db.update(localIssues).set({ identifier }).where(eq(localIssues.identifier, made));
  await db.update(issues).set({ identifier }).where(eq(issues.identifier, made));
}

/** The specification of the attempt that begins now, and its lease. */
async function begin({ world, runner }: Scene): Promise<{ spec: Spec; lease: Lease }> {
  await world.tick();
  const offer = runner.offer();
  const lease = await runner.accept(offer);
  return { spec: offer.spec, lease };
}

/** What a real runner says of its workspace, once it has one. */
const workspaceOf = (spec: Spec) => ({
  kind: 'workspace',
  payload: {
    key: spec.workspaceKey ?? spec.issue.identifier,
    path: '/w',
    durationMs: 1,
    branch: spec.branch ?? 'switchyard/team-1-fix-it',
    baseBranch: 'main',
    created: true,
    baseCommit: DELIVERY.baseCommit,
  },
});

const CHECKPOINT = {
  kind: 'checkpoint',
  payload: {
    ordinal: 1,
    trigger: 'turn_completed',
    threadId: null,
    turnId: null,
    commitSha: COMMIT,
    baseCommit: DELIVERY.baseCommit,
    sessionBlob: null,
    diffBlob: null,
    diffStat: DELIVERY.diffStat,
    tokens: { input: 0, cachedInput: 0, output: 0, reasoning: 0, total: 0 },
  },
};

async function deliver(scene: Scene, spec: Spec, lease: Lease, commitSha = COMMIT): Promise<void> {
  const branch = spec.branch ?? 'switchyard/team-1-fix-it';
  await scene.runner.events(lease, workspaceOf(spec));
  const delivery = { ...DELIVERY, branch, commitSha };
  await scene.runner.finish(lease, { marker: 'DONE', delivery });
  await scene.world.tick();
}

async function permit(
  runner: ScriptedRunner,
  { attemptId, epoch }: Lease,
  branch: string,
  repositoryUrl = REPOSITORY,
) {
  const params = { branch, commitSha: COMMIT, repositoryUrl };
  const call = {
    callId: 'call-1',
    method: 'push.permit',
    attemptId,
    epoch,
    params,
    timeoutMs: 1_000,
  };
  const answer = await runner.sendOne({ type: 'call', ...call });
  if (answer.type !== 'result' || !answer.ok) throw new Error(JSON.stringify(answer));
  return answer.value;
}

/** The runner pushes what it is asked to; answers what that was. */
async function publish(world: CoreWorld, runner: ScriptedRunner) {
  const [call] = world.core.sockets.take(runner.runnerId).filter(({ type }) => type === 'call');
  if (call?.type !== 'call') throw new Error('no push was asked for');
  expect(call.method).toBe('branch.publish');
  const value = { pushed: true, baseBranch: 'main' };
  await runner.send({ type: 'result', callId: call.callId, ok: true, value });
  await world.core.background.settled();
  return call.params;
}

const wip = (spec: Spec) =>
  workInProgressRef(spec.workspaceKey ?? workspaceKey(spec.issue.identifier));

async function twoIssues(labels: string[] = []) {
  const repos = [
    { prefix: 'Team', url: REPOSITORY, default_branch: 'main' },
    { label: 'other', url: OTHER, default_branch: 'main' },
  ];
  const variables = { SERVICE_CONFIG__repos: JSON.stringify(repos) };
  const scene = await sceneWithRunner(make, { slots: 2, variables });
  const { world } = scene;
  await named(world, 'Team-1');
  const first = await begin(scene);
  // Who came first is told by time.
  await world.pass(1_000);
  await named(world, 'team-1', labels);
  return { ...scene, scene, first, second: await begin(scene) };
}

describe('two issues whose identifiers differ in case alone', () => {
  it('have branches, folders and hidden refs that differ in more than case', async () => {
    const { first, second } = await twoIssues();
    const specs = [first.spec, second.spec];
    expect(specs.map(({ issue }) => issue.identifier)).toEqual(['Team-1', 'team-1']);
    const branches = specs.map(({ branch }) => branch?.toLowerCase());
    expect(branches).toEqual([
      'switchyard/team-1-fix-it',
      expect.stringMatching(/^switchyard\/team-1-fix-it-[0-9a-f]{8}$/),
    ]);
    const keys = specs.map((spec) => spec.workspaceKey);
    expect(keys).toEqual(['Team-1', expect.stringMatching(/^team-1--[0-9a-f]{16}$/)]);
    expect(new Set(specs.map(wip)).size).toBe(2);
  });

  it('keep what they have in later attempts, under whatever title', async () => {
    const { scene, world, first, second } = await twoIssues();
    await deliver(scene, second.spec, second.lease);
    await deliver(scene, first.spec, first.lease, 'd'.repeat(40));
    for (const { spec } of [second, first]) {
      await world.editIssue(spec.issue.identifier, { title: 'Fix that' });
      await callCore(world, 'POST', `/api/v1/${spec.issue.identifier}/retry`);
      const again = await begin(scene);
      const { branch, workspaceKey: key } = spec;
      expect(again.spec).toMatchObject({ branch, workspaceKey: key, number: 2 });
      await deliver(scene, again.spec, again.lease);
    }
  });
});

describe('the branch of an issue', () => {
  it('is not pushed to for another one, which is told why', async () => {
    const { runner, first, second } = await twoIssues();
    const held = first.spec.branch ?? 'switchyard/team-1-fix-it';
    expect(await permit(runner, first.lease, held)).toEqual({ allowed: true });
    expect(
      await permit(runner, second.lease, held.toUpperCase().replace('SWITCHYARD', 'switchyard')),
    ).toEqual({
      allowed: false,
      reason: expect.stringMatching(/belongs to issue Team-1/) as string,
    });
    expect(await permit(runner, second.lease, second.spec.branch ?? '')).toEqual({ allowed: true });
  });

  it('may have the name of one in another repository', async () => {
    const { runner, first, second } = await twoIssues(['other']);
    expect(second.spec.repository.url).toBe(OTHER);
    const branch = second.spec.branch ?? '';
    expect(first.spec.branch).toBe(branch);
    expect(await permit(runner, second.lease, branch, OTHER)).toEqual({ allowed: true });
  });

  it('that an older runner named the same for two is another one where it is delivered', async () => {
    const { scene, world, runner, first, second } = await twoIssues();
    await deliver(scene, first.spec, first.lease);
    const branch = first.spec.branch ?? '';
    await runner.events(second.lease, workspaceOf(first.spec));
    const delivery = { ...DELIVERY, branch, commitSha: 'd'.repeat(40), pushed: false };
    await runner.finish(second.lease, { marker: 'DONE', delivery, message: 'not permitted' });
    await world.tick();
    expect(await publish(world, runner)).toMatchObject({ branch: second.spec.branch });
    expect(await world.issue('team-1')).toMatchObject({
      status: 'completed',
      branch: second.spec.branch,
    });
    expect(await world.attempt(second.lease.attemptId)).toMatchObject({
      branch: second.spec.branch,
    });
  });
});

describe('two issues that shared a branch before an upgrade', () => {
  it('go on with their own work, the first on that branch and the other beside it', async () => {
    const { scene, world, first, second } = await twoIssues();
    const { db } = world.deps;
    await deliver(scene, first.spec, first.lease);
    await deliver(scene, { ...second.spec, branch: first.spec.branch }, second.lease, OTHERS);
    // As they were left: nobody had told the runner a name, and each has the key of its own name.
    for (const { spec, lease } of [first, second]) {
      const { branch: _branch, workspaceKey: _key, ownCommits: _commits, ...former } = spec;
      const { identifier } = spec.issue;
      await db
        .update(attempts)
        .set({ spec: former })
        .where(eq(attempts.attempt_id, lease.attemptId));
      const left = { branch: first.spec.branch, workspace_key: identifier };
      await db.update(issues).set(left).where(eq(issues.identifier, identifier));
    }
    const url = (await world.issue('Team-1')).pull_request_url;
    const branches: (string | undefined)[] = [];
    for (const [identifier, commit] of [
      ['team-1', OTHERS],
      ['Team-1', COMMIT],
    ] as const) {
      await callCore(world, 'POST', `/api/v1/${identifier}/retry`);
      const { spec, lease } = await begin(scene);
      expect(spec).toMatchObject({ workspaceKey: identifier, ownCommits: [commit] });
      expect(await permit(scene.runner, lease, spec.branch ?? '')).toEqual({ allowed: true });
      await deliver(scene, spec, lease, 'e'.repeat(40));
      branches.push(spec.branch);
    }
    expect(branches).toEqual([second.spec.branch, first.spec.branch]);
    expect((await world.issue('Team-1')).pull_request_url).toBe(url);
    expect((await world.issue('team-1')).pull_request_url).not.toBe(url);
  });
});

describe('an issue whose attempt had no workspace yet', () => {
  it('has no earlier work: neither its record nor the next prompt names a branch of it', async () => {
    const variables = {
      SERVICE_CONFIG__prompt: 'On {{ workspace.branch | default: "nothing" }}.',
    };
    const scene = await sceneWithRunner(make, { variables });
    const identifier = await scene.world.createIssue();
    await scene.world.tick();
    // An offer that no runner took is made again.
    const { attemptId, epoch } = scene.runner.offer();
    await scene.runner.send({ type: 'decline', attemptId, epoch, code: 'NO_SLOT' });
    await scene.world.pass(1_000);
    const first = await begin(scene);
    expect(first.spec.prompt).toMatch(/^On nothing\./);
    await scene.runner.finish(first.lease, { outcome: 'failed', failureKind: 'workspace_error' });
    expect(await scene.world.issue(identifier)).toMatchObject({ branch: null });
    await callCore(scene.world, 'POST', `/api/v1/${identifier}/retry`);
    const second = await begin(scene);
    expect(second.spec).toMatchObject({ number: 2, branch: first.spec.branch });
    expect(second.spec.prompt).toMatch(/^On nothing\./);
    await deliver(scene, second.spec, second.lease);
    await callCore(scene.world, 'POST', `/api/v1/${identifier}/retry`);
    expect((await begin(scene)).spec.prompt).toContain(`On ${first.spec.branch}.`);
  });
});

describe('what an issue has delivered', () => {
  it('is told to the runner of its next attempt, whichever that is, and nothing of others', async () => {
    const { scene, world, first, second } = await twoIssues();
    await deliver(scene, second.spec, second.lease, 'd'.repeat(40));
    await deliver(scene, first.spec, first.lease);
    expect(first.spec.ownCommits).toEqual([]);
    await scene.runner.hello({ draining: true });
    const other = await addRunner(world);
    await callCore(world, 'POST', '/api/v1/Team-1/retry');
    const again = await begin({ world, runner: other });
    expect(again.spec.ownCommits).toEqual([COMMIT]);
  });

  it('is told with a delivery that is repeated', async () => {
    const { scene, world, runner, first } = await twoIssues();
    const delivery = { ...DELIVERY, branch: first.spec.branch ?? '', pushed: false };
    await runner.finish(first.lease, { marker: 'DONE', delivery, message: 'offline' });
    await scene.world.tick();
    const params = await publish(world, runner);
    expect(params).toMatchObject({ ownCommits: [DELIVERY.commitSha] });
  });

  it('is told also where only the specification of its last attempt still names it', async () => {
    const { scene, world, runner, first } = await twoIssues();
    const { attemptId } = first.lease;
    // As where a lease that was lost had pushed it, and the next one made another.
    const spec = { ...first.spec, ownCommits: ['e'.repeat(40)] };
    await world.deps.db.update(attempts).set({ spec }).where(eq(attempts.attempt_id, attemptId));
    const delivery = { ...DELIVERY, branch: first.spec.branch ?? '', pushed: false };
    await runner.finish(first.lease, { marker: 'DONE', delivery, message: 'offline' });
    await world.tick();
    const wanted = { ownCommits: [DELIVERY.commitSha, 'e'.repeat(40)] };
    expect(await publish(world, runner)).toMatchObject(wanted);
    await callCore(world, 'POST', '/api/v1/Team-1/retry');
    expect((await begin(scene)).spec).toMatchObject(wanted);
  });

  it('is told from the newest on, of whatever there is much', async () => {
    const { world, first } = await twoIssues();
    const { db } = world.deps;
    const issue = await world.issue('Team-1');
    const sha = (letter: string, at: number) => `${letter}${String(at).padStart(39, '0')}`;
    const rows = Array.from({ length: 300 }, (_, at) => ({
      checkpoint_id: `chk_${at}`,
      attempt_id: first.lease.attemptId,
      epoch: 1,
      ordinal: at,
      tracker: issue.tracker,
      issue_id: issue.id,
      trigger: 'turn_completed' as const,
      event_seq: at,
      commit_sha: sha('c', at),
      created_at_ms: at,
      tokens: { input: 0, cachedInput: 0, output: 0, reasoning: 0, total: 0 },
    }));
    for (let from = 0; from < rows.length; from += 50)
      await db.insert(checkpoints).values(rows.slice(from, from + 50));
    await db
      .update(attempts)
      .set({ commit_sha: COMMIT })
      .where(eq(attempts.attempt_id, first.lease.attemptId));
    const told = Array.from({ length: 100 }, (_, at) => sha('a', at));
    const commits = await ownCommits(db, issue, { spec: { ...first.spec, ownCommits: told } });
    expect(commits).toHaveLength(100);
    expect(commits).toEqual(expect.arrayContaining([COMMIT, sha('c', 299), sha('a', 0)]));
  });
});

describe('an issue that its tracker names anew', () => {
  it('keeps its folder, its branch and its hidden ref', async () => {
    const scene = await sceneWithRunner(make);
    const { world } = scene;
    await named(world, 'SY-1');
    const first = await begin(scene);
    await deliver(scene, first.spec, first.lease);
    const { db } = world.deps;
    await db.update(localIssues).set({ identifier: 'SY-77' }).where(eq(localIssues.number, 1));
    await world.editIssue('SY-77', { title: 'Moved' });
    await callCore(world, 'POST', '/api/v1/SY-77/retry');
    const again = await begin(scene);
    expect(again.spec.issue.identifier).toBe('SY-77');
    expect(again.spec.workspaceKey).toBe('SY-1');
    expect(again.spec.branch).toBe(first.spec.branch);
    const asked = await permit(scene.runner, again.lease, wip(first.spec));
    expect(asked).toEqual({ allowed: true });
    const rows = await db.select().from(attempts);
    expect(rows).toHaveLength(2);
  });
});

describe('an issue that was named anew before an upgrade and after it', () => {
  it('goes on with the work of its first name, and keeps its pull request', async () => {
    const scene = await sceneWithRunner(make);
    const { world } = scene;
    await named(world, 'SY-1');
    const { id } = await world.issue('SY-1');
    const first = await begin(scene);
    await scene.runner.events(first.lease, workspaceOf(first.spec), CHECKPOINT);
    await deliver(scene, first.spec, first.lease);
    const { db } = world.deps;
    // As an upgrade leaves it: the attempt's specification has no key, the issue has one by its name.
    const { workspaceKey: _key, ...spec } = first.spec;
    await db.update(attempts).set({ spec });
    await db.update(issues).set({ identifier: 'SY-77', workspace_key: 'SY-77' });
    await db.update(localIssues).set({ identifier: 'SY-78' }).where(eq(localIssues.id, id));
    await world.editIssue('SY-78', { title: 'Moved' });
    const opened = { attempt_id: first.lease.attemptId, issue_identifier: 'SY-1' };
    expect(await issueOfPullRequest(db, opened)).toMatchObject({ identifier: 'SY-78' });
    await callCore(world, 'POST', '/api/v1/SY-78/retry');
    const again = await begin(scene);
    expect(again.spec).toMatchObject({ workspaceKey: 'SY-77', resume: { commitSha: COMMIT } });
  });
});

describe('the pull request of an issue that its tracker names anew', () => {
  it('is shown as that issue’s and ends it when it is merged, and not the one that has the name since', async () => {
    const scene = await sceneWithRunner(make);
    const { world } = scene;
    await named(world, 'SY-1');
    const { id } = await world.issue('SY-1');
    const first = await begin(scene);
    await deliver(scene, first.spec, first.lease);
    const { db } = world.deps;
    await db.update(localIssues).set({ identifier: 'SY-77' }).where(eq(localIssues.id, id));
    await db.update(issues).set({ identifier: 'SY-77' }).where(eq(issues.id, id));
    await named(world, 'SY-1');
    await world.editIssue('SY-1', { state: 'Backlog' });
    const { body } = await callCore(world, 'GET', '/api/v1/local/pull-requests');
    const { pullRequests } = body as { pullRequests: PullRequest[] };
    expect(pullRequests).toMatchObject([{ issueIdentifier: 'SY-1' }]);
    const shown = (identifier: string) => issuePullRequest(world.deps, { identifier });
    expect((await shown('SY-77')).pullRequest.id).toBe(pullRequests[0]?.id);
    await expect(shown('SY-1')).rejects.toMatchObject({ code: 'not_found' });
    for (const merged of pullRequests) await finishMergedIssue(world.deps, merged);
    await world.tick();
    expect(await world.issue('SY-77')).toMatchObject({ state: 'Done' });
    expect(await world.issue('SY-1')).toMatchObject({ state: 'Backlog' });
  });
});

describe('another issue under the id of one that is gone', () => {
  it('begins in a folder, on a branch and with a hidden ref of its own, from nothing', async () => {
    const scene = await sceneWithRunner(make);
    const { world } = scene;
    const identifier = await world.createIssue();
    const { id } = await world.issue(identifier);
    const local = world.deps.trackers.get('local');
    if (local === undefined) throw new Error('no built-in tracker');
    const show = (nativeRef: string, createdAtMs: number) => {
      const fetchByIds = async (ids: readonly string[]) =>
        (await local.fetchByIds(ids)).map((issue) => ({ ...issue, nativeRef, createdAtMs }));
      return syncIssues(world.deps, { ...local, fetchByIds }, [id]);
    };
    const first = await begin(scene);
    await scene.runner.events(first.lease, workspaceOf(first.spec), CHECKPOINT);
    await show('I_1', 1_000);
    await show('I_2', 2_000);
    await scene.runner.finish(first.lease, { outcome: 'cancelled', marker: null });
    expect(await world.issue(identifier)).toMatchObject({ branch: null });
    await callCore(world, 'POST', `/api/v1/${identifier}/retry`);
    const again = await begin(scene);
    expect(again.spec.number).toBe(2);
    expect(again.spec.branch).not.toBe(first.spec.branch);
    expect(wip(again.spec)).not.toBe(wip(first.spec));
    expect(again.spec.resume).toBeUndefined();
  });
});
