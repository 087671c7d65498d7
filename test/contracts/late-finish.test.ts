import type { RunnerMessageOf } from '@switchyard/shared/protocol/messages';
import { describe, expect, it } from 'vitest';
import { requests } from '../../control-plane/src/db/schema/work/requests.ts';
import { handleComment } from '../../control-plane/src/issues/actions/handle-comment.ts';
import { steerIssue } from '../../control-plane/src/issues/actions/steer-issue.ts';
import { answerRequest } from '../../control-plane/src/issues/requests/answer-request.ts';
import { PERSON } from '../support/core/core-world.ts';
import { callCore } from '../support/core/call-core.ts';
import {
  DELIVERY,
  finishMessage,
  heldItem,
  type Lease,
  type ScriptedRunner,
} from '../support/core/scripted-runner.ts';
import { useCoreWorlds } from '../support/core/use-core-worlds.ts';
import { addRunner, type RunningScene, sceneWithLease } from './runner-protocol/scene.ts';

const make = useCoreWorlds();

type Said = Partial<RunnerMessageOf<'finish'>>;
const KEPT: Said = {
  marker: 'DONE',
  summary: 'Done while cut off.',
  message: 'not pushed yet: cut off',
  delivery: { ...DELIVERY, pushed: false },
};

/** Its runner is cut off for longer than its lease; answers whether it is offered to anybody. */
async function cutOff({ world, runner }: RunningScene): Promise<void> {
  world.core.sockets.disconnect(runner.runnerId);
  world.clock.advance(world.deps.service.leaseTimes.ttlMs + world.deps.service.leaseTimes.graceMs);
  await world.tick();
}

/** The runner is back, is told that its lease is lost, and tells how it ended all the same. */
async function tellLate({ world, runner, lease }: RunningScene, said: Said = KEPT) {
  const { welcome } = await runner.hello({ held: [heldItem(lease)] });
  expect(welcome.verdicts).toMatchObject([{ verdict: 'stop', code: 'LEASE_LOST' }]);
  const answer = await runner.sendOne(finishMessage(lease, said));
  await world.tick();
  return answer;
}

/** The runner answers the push that it is asked for. */
async function pushes({ world, runner }: RunningScene): Promise<void> {
  const sent = world.core.sockets.take(runner.runnerId);
  expect(sent.filter(({ type }) => type === 'offer')).toEqual([]);
  const call = sent.find((message) => message.type === 'call');
  if (call === undefined) throw new Error('no push was asked for');
  expect(call).toMatchObject({ method: 'branch.publish' });
  const value = { pushed: true, baseBranch: 'main' };
  await runner.send({ type: 'result', callId: call.callId, ok: true, value });
  await world.core.background.settled();
}

/** Another runner has the attempt by now. */
async function takenByOther(scene: RunningScene): Promise<{ other: ScriptedRunner; taken: Lease }> {
  const other = await addRunner(scene.world);
  await cutOff(scene);
  await other.hello();
  await scene.world.tick();
  return { other, taken: await other.accept(other.offer()) };
}

async function comments({ world, identifier }: RunningScene): Promise<void> {
  const { tracker, id: issueId } = await world.issue(identifier);
  const comment = { commentId: 'c-1', author: 'ada', body: 'Do it otherwise.' };
  await handleComment(world.deps, { tracker, issueId, ...comment });
}

const TURN = { kind: 'turn', payload: { turnId: 'tu-1', state: 'started', number: 1 } };
const HEARD = {
  kind: 'item',
  payload: { state: 'ended', itemId: 'i-1', item: { type: 'user_message', clientId: 'c-1' } },
};
const FENCED = { type: 'fence', code: 'LEASE_LOST' };

describe('an end that is told after the lease was over', () => {
  it('counts while nobody else was given the attempt: its work is delivered', async () => {
    const scene = await sceneWithLease(make);
    const { world, identifier, lease } = scene;
    await cutOff(scene);
    expect(await world.issue(identifier)).toMatchObject({ status: 'queued' });
    expect(await tellLate(scene)).toMatchObject({ type: 'finished' });
    await pushes(scene);
    expect(await world.issue(identifier)).toMatchObject({
      status: 'completed',
      attempt_count: 1,
      run_count: 1,
    });
    expect(await world.attempt(lease.attemptId)).toMatchObject({
      status: 'completed',
      summary: 'Done while cut off.',
      commit_sha: DELIVERY.commitSha,
    });
  });

  it('counts also where the attempt is on offer to another runner, which then may not begin', async () => {
    const scene = await sceneWithLease(make);
    const other = await addRunner(scene.world);
    await cutOff(scene);
    await other.hello();
    await scene.world.tick();
    const offer = other.offer();
    expect(await tellLate(scene)).toMatchObject({ type: 'finished' });
    const begun = await other.sendOne(other.acceptMessage(offer));
    expect(begun).toMatchObject({ type: 'fence', code: 'LEASE_LOST' });
    await pushes(scene);
    expect(await scene.world.issue(scene.identifier)).toMatchObject({ status: 'completed' });
  });

  it('ends the run of another runner that has not come to deliver', async () => {
    const scene = await sceneWithLease(make);
    const { world, identifier } = scene;
    const other = await addRunner(world);
    await cutOff(scene);
    await other.hello();
    await world.tick();
    const taken = await other.accept(other.offer());
    expect(await tellLate(scene)).toMatchObject({ type: 'finished' });
    expect(await other.renew([heldItem(taken)])).toMatchObject({
      verdicts: [{ verdict: 'stop', code: 'LEASE_LOST' }],
    });
    await pushes(scene);
    expect(await world.issue(identifier)).toMatchObject({ status: 'completed' });
  });

  it('is of no use where another runner delivers already', async () => {
    const scene = await sceneWithLease(make);
    const { world, identifier } = scene;
    const other = await addRunner(world);
    await cutOff(scene);
    await other.hello();
    await world.tick();
    const taken = await other.accept(other.offer());
    await other.events(taken, { kind: 'phase', payload: { phase: 'delivering' } });
    expect(await tellLate(scene)).toMatchObject({ type: 'fence', code: 'LEASE_LOST' });
    await other.finish(taken, { marker: 'DONE', delivery: DELIVERY });
    await world.tick();
    expect(await world.issue(identifier)).toMatchObject({ status: 'completed' });
  });

  it('says what the agent said, also where it left no work', async () => {
    const scene = await sceneWithLease(make);
    await cutOff(scene);
    const { delivery: _none, message: _nothing, ...words } = KEPT;
    const said = { ...words, marker: 'BLOCKED', summary: 'I need a key.' } as const;
    expect(await tellLate(scene, said)).toMatchObject({ type: 'finished' });
    expect(await scene.world.issue(scene.identifier)).toMatchObject({
      status: 'blocked',
      reason_code: 'agent_blocked',
    });
  });

  it('is a loss as any other where it only failed', async () => {
    const scene = await sceneWithLease(make);
    await cutOff(scene);
    const failed: Said = { outcome: 'stalled', failureKind: 'turn_stalled', message: 'cut off' };
    expect(await tellLate(scene, failed)).toMatchObject({ type: 'fence', code: 'LEASE_LOST' });
    expect(await scene.world.attempt(scene.lease.attemptId)).toMatchObject({
      status: 'queued',
      loss_count: 1,
      failure_kind: null,
    });
  });

  it('is what a runner may tell that was welcomed so', async () => {
    const { runner } = await sceneWithLease(make);
    expect((await runner.hello()).welcome.features).toContain('late_finish');
  });

  it('is counted for the tokens that it had used', async () => {
    const scene = await sceneWithLease(make);
    await cutOff(scene);
    const usage = { input: 900, cachedInput: 0, output: 100, reasoning: 0, total: 1_000 };
    await tellLate(scene, { ...KEPT, usage });
    await pushes(scene);
    expect((await scene.world.issue(scene.identifier)).tokens.total).toBe(1_000);
  });

  it('is refused from a runner that never held it, and for another lease', async () => {
    const scene = await sceneWithLease(make);
    const { world, lease } = scene;
    const other = await addRunner(world);
    await cutOff(scene);
    await other.hello();
    const fence = { type: 'fence', code: 'LEASE_LOST' };
    expect(await other.sendOne(finishMessage(lease, KEPT))).toMatchObject(fence);
    await scene.runner.hello();
    const another = { ...lease, epoch: lease.epoch + 7 };
    expect(await scene.runner.sendOne(finishMessage(another, KEPT))).toMatchObject(fence);
  });

  it('changes nothing once a person has stopped the attempt', async () => {
    const scene = await sceneWithLease(make);
    const { world, identifier } = scene;
    await cutOff(scene);
    await callCore(world, 'POST', `/api/v1/${identifier}/abort`);
    const { runner, lease } = scene;
    await runner.hello({ held: [heldItem(lease)] });
    expect(await runner.sendOne(finishMessage(lease, KEPT))).toMatchObject({ type: 'fence' });
    expect(await world.issue(identifier)).toMatchObject({ status: 'cancelled' });
  });

  it('is of no use where another runner may push already, whatever was heard of its phase', async () => {
    const scene = await sceneWithLease(make);
    const { other, taken } = await takenByOther(scene);
    const { attemptId, epoch } = taken;
    const { repository_url: repositoryUrl } = await scene.world.attempt(attemptId);
    const params = { branch: DELIVERY.branch, commitSha: 'd'.repeat(40), repositoryUrl };
    const permit = await other.sendOne({
      type: 'call',
      callId: 'p-1',
      attemptId,
      epoch,
      method: 'push.permit',
      params,
      timeoutMs: 1_000,
    });
    expect(permit).toMatchObject({ value: { allowed: true } });
    expect(await tellLate(scene)).toMatchObject(FENCED);
    expect(await other.renew([heldItem(taken)])).toMatchObject({ verdicts: [] });
  });

  it('does not pass over what a person has said since, to an attempt that waits', async () => {
    const scene = await sceneWithLease(make);
    await cutOff(scene);
    await comments(scene);
    expect(await tellLate(scene)).toMatchObject(FENCED);
    expect(await scene.world.attempt(scene.lease.attemptId)).toMatchObject({ status: 'queued' });
  });

  it('does not pass over what a person has said since, and another agent has heard', async () => {
    const scene = await sceneWithLease(make);
    const { other, taken } = await takenByOther(scene);
    await comments(scene);
    await other.events(taken, TURN, HEARD);
    expect(await tellLate(scene)).toMatchObject(FENCED);
    expect(await other.renew([heldItem(taken)])).toMatchObject({ verdicts: [] });
  });

  it('does not pass over what a person has answered another agent', async () => {
    const scene = await sceneWithLease(make);
    const { world } = scene;
    const { other, taken } = await takenByOther(scene);
    const question = {
      id: 'q1',
      header: 'Which',
      question: 'Which?',
      options: [],
      isSecret: false,
    };
    const asked = { requestId: 'engine-7', turnId: 'tu-1', questions: [question] };
    await other.events(taken, TURN, { kind: 'request', payload: asked });
    const [row] = await world.deps.db.select().from(requests);
    const requestId = row?.request_id ?? '';
    await answerRequest(world.deps, { requestId, answers: { q1: ['x'] }, caller: PERSON });
    expect(await tellLate(scene)).toMatchObject(FENCED);
  });

  it('counts where a person was heard before the lease was lost', async () => {
    const scene = await sceneWithLease(make);
    await comments(scene);
    await scene.runner.events(scene.lease, TURN, HEARD);
    await cutOff(scene);
    expect(await tellLate(scene)).toMatchObject({ type: 'finished' });
    await pushes(scene);
  });

  it('leaves no turn that a person could speak to', async () => {
    const scene = await sceneWithLease(make);
    const { world, identifier } = scene;
    const { other, taken } = await takenByOther(scene);
    await other.events(taken, TURN);
    expect(await tellLate(scene)).toMatchObject({ type: 'finished' });
    const steered = steerIssue(world.deps, { identifier, caller: PERSON, message: 'faster' });
    await expect(steered).rejects.toMatchObject({ status: 409 });
    await pushes(scene);
  });

  it('is answered in the same way when it is told again', async () => {
    const scene = await sceneWithLease(make);
    const { runner, lease } = scene;
    await cutOff(scene);
    expect(await tellLate(scene)).toMatchObject({ type: 'finished' });
    expect(await runner.sendOne(finishMessage(lease, KEPT))).toMatchObject({ type: 'finished' });
    await pushes(scene);
  });
});
