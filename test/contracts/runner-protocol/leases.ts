import { eq } from 'drizzle-orm';
import { expect, it } from 'vitest';
import { runners } from '../../../control-plane/src/db/schema/runners/runners.ts';
import { nextDueAtMs } from '../../../control-plane/src/coordinator/next-due-at-ms.ts';
import { heldItem, note } from '../../support/core/scripted-runner.ts';
import type { CoreWorld } from '../../support/core/core-world.ts';
import type { MakeWorld } from '../describe-runner-protocol.ts';
import { addRunner, type RunningScene, sceneWithLease } from './scene.ts';

const TTL_MS = 90_000;
const GRACE_MS = 10_000;

async function leaseUntilMs(world: CoreWorld, runnerId: string): Promise<number> {
  const [row] = await world.deps.db.select().from(runners).where(eq(runners.runner_id, runnerId));
  return (row?.lease_until_ms ?? 0) - world.clock.nowMs();
}

/** An attempt that runs on a machine with a name. */
async function sceneOnMachine(make: MakeWorld, machineId: string): Promise<RunningScene> {
  const scene = await sceneWithLease(make);
  await scene.runner.hello({ machineId, held: [heldItem(scene.lease)] });
  return scene;
}

async function goSilent(world: CoreWorld, runnerId: string, forMs: number): Promise<void> {
  const gone = { connected: false };
  await world.deps.db.update(runners).set(gone).where(eq(runners.runner_id, runnerId));
  await world.pass(forMs);
}

export function describeLeases(make: MakeWorld): void {
  it('begins with the grant and is extended by every renewal, and by nothing else', async () => {
    const { world, runner, lease } = await sceneWithLease(make);
    expect(await leaseUntilMs(world, runner.runnerId)).toBe(TTL_MS);
    await world.pass(15_000);
    await runner.events(lease, note('alive'));
    expect(await leaseUntilMs(world, runner.runnerId)).toBe(TTL_MS - 15_000);
    expect(await runner.renew([heldItem(lease)])).toMatchObject({
      type: 'renewed',
      ttlMs: TTL_MS,
      verdicts: [],
    });
    expect(await leaseUntilMs(world, runner.runnerId)).toBe(TTL_MS);
    for (let minute = 0; minute < 40; minute += 1) {
      await world.pass(15_000);
      await runner.renew([heldItem(lease)]);
    }
    expect(await world.attempt(lease.attemptId)).toMatchObject({
      status: 'running',
      epoch: 1,
      loss_count: 0,
    });
  });

  it('goes on when a runner says anew, on the same connection, what it is', async () => {
    const { world, runner, lease } = await sceneWithLease(make);
    await runner.events(lease, note('before'));
    const isolationLevels = { default: 'container', runtimes: {} } as const;
    const changed = { isolation: 'docker', isolationLevels, engineVersion: '2.0.0' } as const;
    const held = [heldItem(lease, lease.seq)];
    const [welcome, ...others] = await runner.send(runner.helloMessage({ ...changed, held }));
    expect(welcome).toMatchObject({ type: 'welcome', verdicts: [{ verdict: 'keep' }] });
    expect(others).toEqual([]);
    const [row] = await world.deps.db.select().from(runners);
    expect(row).toMatchObject({
      isolation: 'docker',
      isolation_levels: isolationLevels,
      engine_version: '2.0.0',
      connected: true,
    });
    expect(await runner.events(lease, note('after'))).toMatchObject({ type: 'ack', upto: 2 });
    expect(await runner.renew([heldItem(lease, lease.seq)])).toMatchObject({ type: 'renewed' });
    expect(await runner.finish(lease)).toMatchObject({ type: 'finished' });
  });

  it('moves an attempt that its runner has not listed for 45 s', async () => {
    const { world, runner, lease } = await sceneWithLease(make);
    await world.pass(TTL_MS - 5_000);
    await runner.renew([]);
    for (const ms of [15_000, 15_000]) {
      await world.pass(ms);
      await runner.renew([]);
    }
    await world.pass(14_999);
    expect(await world.attempt(lease.attemptId)).toMatchObject({ status: 'running', epoch: 1 });
    await world.pass(1);
    expect(await world.attempt(lease.attemptId)).toMatchObject({ loss_count: 1, number: 1 });
    expect(runner.offer()).toMatchObject({ attemptId: lease.attemptId });
    expect(await runner.renew([heldItem(lease)])).toMatchObject({
      verdicts: [{ verdict: 'stop', code: 'LEASE_LOST' }],
    });
  });

  it('does not believe a copy of a connected runner that its work is gone', async () => {
    const { world, runner, lease } = await sceneWithLease(make);
    await runner.hello({ instanceId: 'copy', held: [] });
    await runner.send({
      type: 'released',
      attemptId: lease.attemptId,
      epoch: lease.epoch,
      why: 'no container',
      container: 'dead',
    });
    for (let waited = 0; waited < TTL_MS + GRACE_MS - 15_000; waited += 15_000) {
      await world.pass(15_000);
      await runner.renew([]);
    }
    expect(await world.attempt(lease.attemptId)).toMatchObject({ status: 'running', epoch: 1 });
    await world.pass(15_000);
    expect(await world.attempt(lease.attemptId)).toMatchObject({ loss_count: 1 });
  });

  it('does not believe a copy whose connection has ended that of the original', async () => {
    const { world, runner, lease } = await sceneWithLease(make);
    // A newer socket closes the older one, and that is noted before the newer one says hello.
    await world.deps.db
      .update(runners)
      .set({ connected: false })
      .where(eq(runners.runner_id, runner.runnerId));
    await runner.hello({ instanceId: 'copy', bootId: 'boot-of-copy', held: [] });
    await world.pass(15_000);
    expect(await world.attempt(lease.attemptId)).toMatchObject({ status: 'running', epoch: 1 });
    await world.pass(TTL_MS + GRACE_MS);
    expect(await world.attempt(lease.attemptId)).toMatchObject({ loss_count: 1 });
  });

  it('never believes another machine that the work of a silent one is gone', async () => {
    const { world, runner, lease } = await sceneOnMachine(make, 'machine-1');
    await goSilent(world, runner.runnerId, 20_000);
    const copy = { instanceId: 'copy', bootId: 'boot-of-copy', machineId: 'machine-2' };
    await runner.hello({ ...copy, held: [] });
    await world.pass(TTL_MS - 20_000);
    expect(await world.attempt(lease.attemptId)).toMatchObject({ status: 'running', epoch: 1 });
    await world.pass(TTL_MS + GRACE_MS);
    expect(await world.attempt(lease.attemptId)).toMatchObject({ loss_count: 1 });
  });

  it('believes a new boot of the same machine at once, however soon it comes', async () => {
    const { world, runner, lease } = await sceneOnMachine(make, 'machine-1');
    const anew = { instanceId: 'anew', bootId: 'boot-2', machineId: 'machine-1' };
    await runner.hello({ ...anew, held: [] });
    expect(await world.attempt(lease.attemptId)).toMatchObject({ loss_count: 1 });
  });

  it('grants a copy nothing that the original may be running', async () => {
    const { world, runner, lease } = await sceneWithLease(make);
    await runner.hello({ instanceId: 'copy', bootId: 'boot-of-copy', held: [heldItem(lease)] });
    expect(await runner.sendOne(runner.acceptMessage(lease))).toMatchObject({
      type: 'error',
      code: 'CONFLICT',
      retryable: true,
    });
    await world.pass(TTL_MS - 1);
    await runner.renew([heldItem(lease)]);
    await world.pass(GRACE_MS + 1);
    expect(await runner.sendOne(runner.acceptMessage(lease))).toMatchObject({ type: 'granted' });
  });

  it('forgets that an attempt was not listed once it is listed again', async () => {
    const { world, runner, lease } = await sceneWithLease(make);
    await world.pass(TTL_MS - 5_000);
    for (const held of [[], [heldItem(lease)], [], [heldItem(lease)]]) {
      await runner.renew(held);
      await world.pass(40_000);
    }
    expect(await world.attempt(lease.attemptId)).toMatchObject({ status: 'running', epoch: 1 });
  });

  it('does not take an older lease of the same attempt for the present one', async () => {
    const { world, runner, lease } = await sceneWithLease(make);
    await world.pass(TTL_MS + GRACE_MS);
    const present = await runner.accept(await runner.offerAgain());
    expect(present.attemptId).toBe(lease.attemptId);
    for (let renewal = 0; renewal < 4; renewal += 1) {
      await runner.renew([heldItem(lease)]);
      await world.pass(15_000);
    }
    const row = await world.attempt(lease.attemptId);
    expect(row.epoch).toBeGreaterThan(present.epoch);
  });

  it('queues an attempt under the next epoch when its lease and the grace are over', async () => {
    const { world, runner, lease } = await sceneWithLease(make);
    await runner.events(lease, note('before'));
    await world.pass(TTL_MS + GRACE_MS - 1);
    expect(await world.attempt(lease.attemptId)).toMatchObject({ status: 'running', epoch: 1 });
    await world.pass(1);
    const row = await world.attempt(lease.attemptId);
    expect(row).toMatchObject({ status: 'queued', number: 1, loss_count: 1, last_seq: 0 });
    expect(world.core.sockets.closed).toEqual([{ runnerId: runner.runnerId, code: 4408 }]);
    const offer = await runner.offerAgain();
    expect(offer.epoch).toBeGreaterThan(1);
    const again = await runner.accept(offer);
    expect(await runner.events(again, note('after'))).toMatchObject({ type: 'ack', upto: 1 });
  });

  it('moves nothing in the first lease time after a start, and then what is over', async () => {
    const { world, runner, lease } = await sceneWithLease(make);
    world.clock.advance(10 * TTL_MS);
    await world.restart();
    await world.pass(TTL_MS - 1);
    expect(await world.attempt(lease.attemptId)).toMatchObject({ status: 'running', epoch: 1 });
    await world.pass(1);
    expect(await world.attempt(lease.attemptId)).toMatchObject({ status: 'queued', loss_count: 1 });
    expect(runner.runnerId).not.toBe('');
  });

  it('does not run again and again while it must wait after a start', async () => {
    const { world } = await sceneWithLease(make);
    world.clock.advance(10 * TTL_MS);
    await world.restart();
    await world.tick();
    const dueAtMs = await nextDueAtMs(world.deps);
    expect(dueAtMs).toBeGreaterThan(world.clock.nowMs());
  });

  it('goes on after a restart of the control plane as if nothing had been', async () => {
    const { world, runner, lease } = await sceneWithLease(make);
    await runner.events(lease, note('before'));
    await world.restart();
    const { welcome } = await runner.hello({ held: [heldItem(lease, 1)] });
    expect(welcome.verdicts).toEqual([
      { attemptId: lease.attemptId, epoch: 1, verdict: 'keep', ackedSeq: 1 },
    ]);
    expect(await runner.events(lease, note('after'))).toMatchObject({ upto: 2 });
    expect(await runner.finish(lease, { marker: 'DONE' })).toMatchObject({ type: 'finished' });
  });

  it('takes at once what a new process of the same boot adopted, when both halves were killed', async () => {
    const { world, runner, lease } = await sceneWithLease(make);
    await runner.hello({ machineId: 'machine-1', held: [heldItem(lease)] });
    // Killed without a word: the row still says that the former session is connected.
    await world.restart();
    const instanceId = 'instance-2';
    await runner.hello({ machineId: 'machine-1', instanceId, held: [heldItem(lease)] });
    expect((await runner.accept(lease)).epoch).toBe(lease.epoch);
  });

  it('still doubts a second process of the same boot while it serves the first itself', async () => {
    const { world, runner, lease } = await sceneWithLease(make);
    await runner.hello({ machineId: 'machine-1', held: [heldItem(lease)] });
    const instanceId = 'instance-2';
    await runner.hello({ machineId: 'machine-1', instanceId, held: [] });
    await world.tick();
    expect(await world.attempt(lease.attemptId)).toMatchObject({ status: 'running' });
    expect(await runner.sendOne(runner.acceptMessage(lease))).toMatchObject({ code: 'CONFLICT' });
  });

  it('moves at once what a runner that begins anew no longer has', async () => {
    const { world, runner, lease } = await sceneWithLease(make);
    await runner.hello({ bootId: 'boot-2', held: [] });
    await world.tick();
    const offer = runner.offer();
    expect(offer.attemptId).toBe(lease.attemptId);
    expect(offer.epoch).toBeGreaterThan(lease.epoch);
  });

  it('ends an attempt as runner_lost when it is lost for the third time', async () => {
    const { world, runner, identifier, lease } = await sceneWithLease(make);
    for (const losses of [1, 2]) {
      await runner.hello({ held: [] });
      await world.tick();
      expect(await world.attempt(lease.attemptId)).toMatchObject({
        status: 'queued',
        loss_count: losses,
      });
      await runner.accept(runner.offer());
    }
    await runner.hello({ held: [] });
    expect(await world.attempt(lease.attemptId)).toMatchObject({
      status: 'failed',
      outcome: 'failed',
      failure_kind: 'runner_lost',
      number: 1,
    });
    expect(await world.issue(identifier)).toMatchObject({ status: 'retrying', attempt_count: 1 });
  });

  it('takes an attempt back that is given up in good order, without counting a loss', async () => {
    const { world, runner, lease } = await sceneWithLease(make);
    const other = await addRunner(world);
    const { attemptId, epoch } = lease;
    await runner.send(
      { type: 'drain', deadlineMs: 1_000 },
      { type: 'released', attemptId, epoch, why: 'draining', container: 'dead', orderly: true },
    );
    await world.tick();
    expect(other.offer()).toMatchObject({ attemptId });
    expect(await world.attempt(attemptId)).toMatchObject({ loss_count: 0, number: 1 });
  });

  it('ends an attempt that runners give up in trouble for the third time', async () => {
    const { world, runner, lease } = await sceneWithLease(make);
    const { attemptId } = lease;
    let { epoch } = lease;
    for (const losses of [1, 2]) {
      await runner.send({ type: 'released', attemptId, epoch, why: 'trouble', container: 'dead' });
      await world.tick();
      expect(await world.attempt(attemptId)).toMatchObject({ loss_count: losses, number: 1 });
      epoch = (await runner.accept(runner.offer())).epoch;
    }
    await runner.send({ type: 'released', attemptId, epoch, why: 'trouble', container: 'dead' });
    expect(await world.attempt(attemptId)).toMatchObject({
      status: 'failed',
      failure_kind: 'runner_lost',
    });
  });
}
