import { expect, it } from 'vitest';
import { nextDueAtMs } from '../../../control-plane/src/coordinator/next-due-at-ms.ts';
import {
  drainRunner,
  undrainRunner,
} from '../../../control-plane/src/runners/admin/drain-runner.ts';
import { allRunners } from '../../../control-plane/src/runners/queries.ts';
import { runnerRecord } from '../../../control-plane/src/runners/runner-record.ts';
import { PERSON } from '../../support/core/core-world.ts';
import { scriptRunner } from '../../support/core/scripted-runner.ts';
import type { MakeWorld } from '../describe-runner-protocol.ts';
import { addRunner, sceneWithRunner } from './scene.ts';

export function describeOffers(make: MakeWorld): void {
  it('grants a repeated accept again, without starting the attempt twice', async () => {
    const { world, runner } = await sceneWithRunner(make);
    await world.createIssue();
    await world.tick();
    const offer = runner.offer();
    const first = await runner.accept(offer);
    const before = await world.attempt(offer.attemptId);
    const second = await runner.accept(offer);
    expect(second.token).not.toBe(first.token);
    const { attempt_token_hash: _, ...rest } = before;
    expect(await world.attempt(offer.attemptId)).toMatchObject(rest);
  });

  it('offers an attempt that nobody took in time again, under a higher epoch', async () => {
    const { world, runner } = await sceneWithRunner(make);
    const identifier = await world.createIssue();
    await world.tick();
    const first = runner.offer();
    await world.pass(14_999);
    expect(runner.offers()).toEqual([]);
    await world.pass(1);
    const second = runner.offer();
    expect(second.attemptId).toBe(first.attemptId);
    expect(second.epoch).toBeGreaterThan(first.epoch);
    expect(await runner.sendOne(runner.acceptMessage(first))).toMatchObject({
      type: 'fence',
      code: 'LEASE_LOST',
      currentEpoch: second.epoch,
    });
    await runner.accept(second);
    expect(await world.issue(identifier)).toMatchObject({ attempt_count: 1, run_count: 1 });
    expect(await world.attempt(first.attemptId)).toMatchObject({ number: 1, loss_count: 0 });
  });

  it('offers nothing to a runner that isolates less than is asked for, and says what is missing', async () => {
    const isolation = { SERVICE_CONFIG__engine__sandbox__isolation: 'container' };
    const { world, runner } = await sceneWithRunner(make, { variables: isolation });
    const identifier = await world.createIssue();
    await world.tick();
    expect(runner.offers()).toEqual([]);
    const { reason } = await world.issue(identifier);
    expect(reason).toBe(
      'waiting for a runner that isolates by at least "container" (engine.sandbox.isolation)',
    );
    const isolationLevels = { default: 'container', runtimes: { runsc: 'kernel' } } as const;
    await runner.hello({ isolation: 'docker', isolationLevels });
    await world.tick();
    expect(runner.offer().spec.sandbox.isolation).toBe('container');
    const [row] = await allRunners(world.deps.db);
    expect(
      row === undefined
        ? null
        : runnerRecord(row, { attemptIds: [], lastSeenAtMs: 0, isHolder: true }),
    ).toMatchObject({
      isolation: 'docker',
      isolationLevel: 'container',
      runtimes: { runsc: 'kernel' },
    });
  });

  it.each(['NO_SLOT', 'DISK_LOW', 'LABEL'] as const)(
    'frees an offer that is declined with %s and counts no loss',
    async (code) => {
      const { world, runner } = await sceneWithRunner(make);
      await world.createIssue();
      await world.tick();
      const { attemptId, epoch } = runner.offer();
      expect(await runner.send({ type: 'decline', attemptId, epoch, code })).toEqual([]);
      const row = await world.attempt(attemptId);
      expect(row).toMatchObject({ status: 'queued', runner_id: null, number: 1, loss_count: 0 });
      expect(row.epoch).toBeGreaterThan(epoch);
      // A runner that is full for a moment is not asked in a tight loop.
      for (let run = 0; run < 5; run += 1) await world.pass(100);
      expect(runner.offers()).toEqual([]);
      expect(await nextDueAtMs(world.deps)).toBe(world.clock.nowMs() + 500);
      await world.pass(500);
      expect(runner.offer()).toMatchObject({ attemptId });
    },
  );

  it('offers a draining runner nothing more', async () => {
    const { world, runner } = await sceneWithRunner(make);
    const identifier = await world.createIssue();
    await world.tick();
    const { attemptId, epoch } = runner.offer();
    await runner.send(
      { type: 'drain', deadlineMs: 60_000 },
      { type: 'decline', attemptId, epoch, code: 'DRAINING' },
    );
    await world.tick();
    expect(runner.offers()).toEqual([]);
    const other = await addRunner(world);
    await world.tick();
    expect(other.offer().attemptId).toBe(attemptId);
    expect(await world.issue(identifier)).toMatchObject({ attempt_count: 1 });
  });

  it('ends the attempt when its specification is unusable', async () => {
    const { world, runner } = await sceneWithRunner(make);
    const identifier = await world.createIssue();
    await world.tick();
    const { attemptId, epoch } = runner.offer();
    await runner.send({
      type: 'decline',
      attemptId,
      epoch,
      code: 'SPEC_INVALID',
      message: 'no such image',
    });
    expect(await world.attempt(attemptId)).toMatchObject({
      status: 'failed',
      failure_kind: 'workspace_error',
    });
    expect((await world.issue(identifier)).reason).toContain('no such image');
  });

  it('says an open offer again to a runner that reconnects', async () => {
    const { world, runner } = await sceneWithRunner(make);
    await world.createIssue();
    await world.tick();
    const offer = runner.offer();
    world.clock.advance(4_000);
    const { others } = await runner.hello();
    expect(others).toEqual([{ ...offer, expiresInMs: 11_000 }]);
  });

  it('tells a runner whose accept was lost that the offer still stands', async () => {
    const { world, runner } = await sceneWithRunner(make);
    await world.createIssue();
    await world.tick();
    const { attemptId, epoch } = runner.offer();
    const held = [
      {
        attemptId,
        epoch,
        phase: 'accepted' as const,
        containerId: null,
        spooledSeq: 0,
        ackedSeq: 0,
      },
    ];
    const { welcome, others } = await runner.hello({ held });
    expect(welcome.verdicts).toEqual([{ attemptId, epoch, verdict: 'offered' }]);
    expect(others).toEqual([]);
    await runner.accept({ attemptId, epoch });
  });

  it('never gives a runner more than its slots, nor raises a number by waiting', async () => {
    const { world, runner } = await sceneWithRunner(make, { slots: 2 });
    const identifiers = [];
    for (let count = 0; count < 4; count += 1) identifiers.push(await world.createIssue());
    for (let run = 0; run < 5; run += 1) await world.pass(100);
    expect(runner.offers()).toHaveLength(2);
    const waiting = await world.issue(identifiers[3] ?? '');
    expect(waiting).toMatchObject({ status: 'queued', attempt_count: 0, run_count: 0 });
    expect(waiting.reason).toContain('slot');
  });

  it('keeps the caps: all agents together, and by tracker state', async () => {
    const variables = {
      SERVICE_CONFIG__agent__maxConcurrentAgents: '3',
      SERVICE_CONFIG__agent__maxConcurrentAgentsByState: JSON.stringify({ todo: 1 }),
    };
    const { world, runner } = await sceneWithRunner(make, { variables, slots: 10 });
    for (const state of ['Todo', 'Todo', 'In Progress', 'In Progress', 'In Progress'] as const) {
      await world.createIssue({ state });
    }
    for (let run = 0; run < 3; run += 1) await world.pass(100);
    const offers = runner.offers();
    const states = await Promise.all(
      offers.map(async (offer) => (await world.attempt(offer.attemptId)).issue_state),
    );
    expect(states.toSorted()).toEqual(['In Progress', 'In Progress', 'Todo']);
  });

  it('offers only to a runner with the labels that the issue asks for', async () => {
    const { world, runner } = await sceneWithRunner(make);
    const identifier = await world.createIssue({ labels: ['runner:gpu'] });
    await world.tick();
    expect(runner.offers()).toEqual([]);
    expect((await world.issue(identifier)).reason).toContain('gpu');
    const gpu = await addRunner(world, 1, ['gpu']);
    await world.tick();
    expect(gpu.offer().spec.issue.identifier).toBe(identifier);
  });

  it('offers nothing to a runner that is not connected', async () => {
    const world = await make();
    const runner = scriptRunner(world, await world.join());
    await runner.hello();
    world.deps.connections.close(runner.runnerId, 1006, 'gone');
    const identifier = await world.createIssue();
    await world.tick();
    expect(await world.issue(identifier)).toMatchObject({ status: 'queued', attempt_count: 0 });
  });

  it('go to a drained runner again once that is taken back', async () => {
    const { world, runner } = await sceneWithRunner(make);
    const input = { runnerId: runner.runnerId, caller: PERSON };
    await drainRunner(world.deps, input);
    await world.createIssue();
    await world.tick();
    expect(runner.offers()).toEqual([]);
    await undrainRunner(world.deps, input);
    await world.tick();
    expect(runner.offers()).toHaveLength(1);
  });

  it('are not promised to a drained runner that cannot hear of it', async () => {
    const { world, runner } = await sceneWithRunner(make);
    const input = { runnerId: runner.runnerId, caller: PERSON };
    await drainRunner(world.deps, input);
    world.deps.connections.close(runner.runnerId, 1006, 'gone');
    await expect(undrainRunner(world.deps, input)).rejects.toMatchObject({ code: 'conflict' });
  });
}
