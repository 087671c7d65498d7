import type { CheckOutcome } from '@switchyard/shared/checks/check-spec';
import { eq } from 'drizzle-orm';
import { describe, expect, it } from 'vitest';
import { storeCheck } from '../../control-plane/src/attempts/checks/store-check.ts';
import { attempts } from '../../control-plane/src/db/schema/work/attempts.ts';
import { callCore } from '../support/core/call-core.ts';
import { DELIVERY, finishMessage, heldItem } from '../support/core/scripted-runner.ts';
import { useCoreWorlds } from '../support/core/use-core-worlds.ts';
import { type RunningScene, sceneWithLease } from './runner-protocol/scene.ts';

const make = useCoreWorlds();

/** An attempt that declares one check, which has come out so on what is delivered. */
async function sceneWithCheck(result: CheckOutcome): Promise<RunningScene> {
  const scene = await sceneWithLease(make);
  const { world, lease } = scene;
  const { db } = world.deps;
  const { spec } = await world.attempt(lease.attemptId);
  const checks = [{ name: 'lint', command: 'npm run lint', timeoutMs: 60_000 }];
  const isIt = eq(attempts.attempt_id, lease.attemptId);
  await db
    .update(attempts)
    .set({ spec: { ...spec, checks } })
    .where(isIt);
  const of = { attempt_id: lease.attemptId, epoch: lease.epoch };
  const stored = storeCheck(
    db,
    of,
    {
      state: 'ended',
      name: 'lint',
      commitSha: DELIVERY.commitSha,
      run: 2,
      result,
      exitCode: 1,
      durationMs: 1_200,
      output: 'x is unused',
      atMs: world.clock.nowMs(),
    },
    world.clock.nowMs(),
  );
  await db.batch([stored]);
  return scene;
}

const pullRequests = async ({ world }: RunningScene) =>
  JSON.stringify(await callCore(world, 'GET', '/api/v1/local/pull-requests'));

describe('work whose declared check failed', () => {
  it.each(['failed', 'timed_out'] as const)(
    'is not delivered though its runner says it is done: %s',
    async (result) => {
      const scene = await sceneWithCheck(result);
      const { world, runner, identifier, lease } = scene;
      const said = { marker: 'DONE', delivery: { ...DELIVERY, pushed: false } } as const;
      expect(await runner.finish(lease, said)).toMatchObject({ type: 'finished' });
      await world.tick();
      const issue = await world.issue(identifier);
      expect(issue).toMatchObject({ status: 'blocked', reason_code: 'checks_failed' });
      expect(issue.reason).toContain('lint');
      expect(await world.attempt(lease.attemptId)).toMatchObject({
        status: 'failed',
        failure_kind: 'delivery_refused',
        reason_code: 'checks_failed',
        commit_sha: DELIVERY.commitSha,
        branch: DELIVERY.branch,
      });
      expect(world.core.sockets.take(runner.runnerId)).toEqual([]);
      expect(await pullRequests(scene)).not.toContain(DELIVERY.branch);
    },
  );

  it('is not delivered by a click either, which says what to do', async () => {
    const scene = await sceneWithCheck('failed');
    const { world, runner, identifier, lease } = scene;
    await runner.finish(lease, {
      outcome: 'failed',
      failureKind: 'delivery_refused',
      reasonCode: 'checks_failed',
      marker: 'DONE',
      message: 'lint failed',
      delivery: { ...DELIVERY, pushed: false },
    });
    expect(await world.issue(identifier)).toMatchObject({
      status: 'blocked',
      reason_code: 'checks_failed',
      next_retry_at_ms: null,
    });
    const answer = await callCore(world, 'POST', `/api/v1/${identifier}/deliver`);
    expect(answer).toMatchObject({ status: 409 });
    expect(JSON.stringify(answer)).toContain('deliver it as a draft');
  });
});

describe('an issue that is blocked since its checks failed', () => {
  it('is told to people, and a comment starts it again', async () => {
    const scene = await sceneWithCheck('failed');
    const { world, runner, identifier, lease } = scene;
    await runner.finish(lease, { marker: 'DONE', delivery: { ...DELIVERY, pushed: false } });
    await world.tick();
    const told = await callCore(world, 'GET', '/api/v1/notifications');
    expect(told.body).toMatchObject({
      notifications: [
        { type: 'worker_failed', severity: 'critical', issue: { identifier } },
        { type: 'issue_claimed' },
      ],
    });
    expect(JSON.stringify(told.body)).toContain('a check failed: lint');
    const comments = `/api/v1/local/issues/${identifier}/comments`;
    await callCore(world, 'POST', comments, { body: 'The rule may be switched off.' });
    await world.tick();
    await world.tick();
    const { spec } = runner.offer();
    expect(spec.prompt).toContain('The rule may be switched off.');
    expect(await world.issue(identifier)).toMatchObject({
      status: 'queued',
      reason_code: 'offered',
    });
  });
});

/** Its runner is silent for longer than its lease. */
async function cutOff({ world, runner }: RunningScene): Promise<void> {
  world.core.sockets.disconnect(runner.runnerId);
  world.clock.advance(world.deps.service.leaseTimes.ttlMs + world.deps.service.leaseTimes.graceMs);
  await world.tick();
}

describe('work whose declared check failed, of a runner that was lost', () => {
  it('is not delivered when its end is told late', async () => {
    const scene = await sceneWithCheck('failed');
    const { world, runner, identifier, lease } = scene;
    await cutOff(scene);
    await runner.hello({ held: [heldItem(lease)] });
    const said = { marker: 'DONE', delivery: { ...DELIVERY, pushed: false } } as const;
    expect(await runner.sendOne(finishMessage(lease, said))).toMatchObject({ type: 'finished' });
    await world.tick();
    expect(await world.issue(identifier)).toMatchObject({
      status: 'blocked',
      reason_code: 'checks_failed',
    });
    expect(await pullRequests(scene)).not.toContain(DELIVERY.branch);
  });

  it.each([
    { result: 'failed', status: 'queued' },
    { result: 'passed', status: 'running' },
  ] as const)('that was about to deliver it: $result, so it is $status', async (given) => {
    const scene = await sceneWithCheck(given.result);
    const { world, runner, lease } = scene;
    const { branch, baseBranch, baseCommit, commitSha, diffStat } = DELIVERY;
    const workspace = { key: 'k', path: '/w', created: true, durationMs: 1 };
    const tokens = { input: 1, cachedInput: 0, output: 1, reasoning: 0, total: 2 };
    await runner.events(
      lease,
      { kind: 'workspace', payload: { ...workspace, branch, baseBranch, baseCommit } },
      {
        kind: 'checkpoint',
        payload: {
          ordinal: 1,
          trigger: 'delivering',
          threadId: null,
          turnId: null,
          commitSha,
          baseCommit,
          sessionBlob: null,
          diffBlob: null,
          diffStat,
          tokens,
        },
      },
    );
    await cutOff(scene);
    expect(await world.attempt(lease.attemptId)).toMatchObject({
      status: given.status,
      phase: given.status === 'running' ? 'delivering' : null,
    });
    expect(await pullRequests(scene)).not.toContain(DELIVERY.branch);
  });
});

describe('work whose declared checks passed', () => {
  it('is delivered, and the pull request says so', async () => {
    const scene = await sceneWithCheck('passed');
    await scene.runner.finish(scene.lease, { marker: 'DONE', delivery: DELIVERY });
    await scene.world.tick();
    expect(await scene.world.issue(scene.identifier)).toMatchObject({ status: 'completed' });
    expect(await pullRequests(scene)).toContain('passed at the second run');
  });
});
