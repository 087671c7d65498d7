import type { RunnerMessageOf } from '@switchyard/shared/protocol/messages';
import { describe, expect, it } from 'vitest';
import { callCore } from '../support/core/call-core.ts';
import { DELIVERY, finishMessage, heldItem } from '../support/core/scripted-runner.ts';
import { useCoreWorlds } from '../support/core/use-core-worlds.ts';
import { addRunner, type RunningScene, sceneWithLease } from './runner-protocol/scene.ts';

const make = useCoreWorlds();

type Said = Partial<RunnerMessageOf<'finish'>>;
const KEPT: Said = {
  ...{ marker: 'DONE', summary: 'Done while cut off.', message: 'not pushed yet: cut off' },
  delivery: { ...DELIVERY, pushed: false },
};

/** Its runner is cut off for longer than its lease; answers whether it is offered to anybody. */
async function cutOff({ world, runner }: RunningScene): Promise<void> {
  world.core.sockets.disconnect(runner.runnerId);
  world.clock.advance(world.deps.leases.ttlMs + world.deps.leases.graceMs);
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

describe('an end that is told after the lease was over', () => {
  it('counts while nobody else was given the attempt: its work is delivered', async () => {
    const scene = await sceneWithLease(make);
    const { world, identifier, lease } = scene;
    await cutOff(scene);
    expect(await world.issue(identifier)).toMatchObject({ status: 'queued' });
    expect(await tellLate(scene)).toMatchObject({ type: 'finished' });
    await pushes(scene);
    expect(await world.issue(identifier)).toMatchObject({
      ...{ status: 'completed', attempt_count: 1, run_count: 1 },
    });
    expect(await world.attempt(lease.attemptId)).toMatchObject({
      ...{ status: 'completed', summary: 'Done while cut off.', commit_sha: DELIVERY.commitSha },
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
      ...{ status: 'blocked', reason_code: 'agent_blocked' },
    });
  });

  it('is a loss as any other where it only failed', async () => {
    const scene = await sceneWithLease(make);
    await cutOff(scene);
    const failed: Said = { outcome: 'stalled', failureKind: 'turn_stalled', message: 'cut off' };
    expect(await tellLate(scene, failed)).toMatchObject({ type: 'fence', code: 'LEASE_LOST' });
    expect(await scene.world.attempt(scene.lease.attemptId)).toMatchObject({
      ...{ status: 'queued', loss_count: 1, failure_kind: null },
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
});
