import { expect, it } from 'vitest';
import type { ControlPlaneMessage, RunnerMessage } from '@switchyard/shared/protocol/messages';
import { abortIssue } from '../../../control-plane/src/issues/abort-issue.ts';
import { revokeRunner } from '../../../control-plane/src/runners/revoke-runner.ts';
import { dumpTables } from '../../support/core/dump-tables.ts';
import { type CoreWorld, PERSON } from '../../support/core/core-world.ts';
import {
  DELIVERY,
  eventsMessage,
  finishMessage,
  heldItem,
  type Lease,
  note,
  numbered,
  type ScriptedRunner,
} from '../../support/core/scripted-runner.ts';
import type { MakeWorld } from '../describe-runner-protocol.ts';
import { addRunner, sceneWithLease } from './scene.ts';

/** Everything a runner can say about a lease it does not have. */
function writes(
  runner: ScriptedRunner,
  lease: Lease,
  nowMs: number,
): Record<string, RunnerMessage> {
  const { attemptId, epoch } = lease;
  return {
    events: eventsMessage(lease, numbered(lease, [note('stale')], nowMs)),
    'a plain finish': finishMessage(lease),
    'a failed finish': finishMessage(lease, { outcome: 'failed', failureKind: 'agent_error' }),
    'a finish with a branch': finishMessage(lease, { marker: 'DONE', delivery: DELIVERY }),
    accept: runner.acceptMessage(lease),
    decline: { type: 'decline', attemptId, epoch, code: 'SPEC_INVALID' },
    released: { type: 'released', attemptId, epoch, why: 'late', container: 'dead' },
  };
}
const WRITES = [
  'events',
  'a plain finish',
  'a failed finish',
  'a finish with a branch',
  'accept',
  'decline',
  'released',
] as const;
const UNANSWERED: ReadonlySet<string> = new Set(['decline', 'released']);

/** Answers to a revoked runner; a transport that checks each request may turn it away itself. */
async function refusalOf(
  say: () => Promise<ControlPlaneMessage[]>,
): Promise<ControlPlaneMessage[]> {
  try {
    return await say();
  } catch (error) {
    expect(String(error)).toContain('401');
    return [];
  }
}

async function expectRefused(
  world: CoreWorld,
  runner: ScriptedRunner,
  given: { write: string; lease: Lease; code: string; currentEpoch: number | null },
): Promise<void> {
  const message = writes(runner, given.lease, world.clock.nowMs())[given.write];
  if (message === undefined) throw new Error(`no write ${given.write}`);
  const before = await dumpTables(world.deps.db);
  const replies = await runner.send(message);
  expect(await dumpTables(world.deps.db)).toEqual(before);
  const { attemptId, epoch } = given.lease;
  const fence = {
    type: 'fence',
    attemptId,
    epoch,
    code: given.code,
    currentEpoch: given.currentEpoch,
  };
  if (UNANSWERED.has(given.write))
    expect(replies.every((reply) => reply.type !== 'result')).toBe(true);
  else expect(replies).toEqual([fence]);
}

export function describeFencing(make: MakeWorld): void {
  it.each(WRITES)('refuses %s under an epoch that is over, and stores nothing', async (write) => {
    const { world, runner, lease } = await sceneWithLease(make);
    await world.pass(90_000 + 10_000);
    const again = await runner.accept(runner.offer());
    await expectRefused(world, runner, {
      write,
      lease,
      code: 'LEASE_LOST',
      currentEpoch: again.epoch,
    });
  });

  it.each(WRITES)('refuses %s of a runner that does not hold the lease', async (write) => {
    const { world, lease } = await sceneWithLease(make);
    const other = await addRunner(world);
    await expectRefused(world, other, {
      write,
      lease,
      code: 'LEASE_LOST',
      currentEpoch: lease.epoch,
    });
  });

  it.each(WRITES.filter((write) => write !== 'released' && write !== 'decline'))(
    'refuses %s about an attempt that does not exist',
    async (write) => {
      const { world, runner, lease } = await sceneWithLease(make);
      const unknown = { ...lease, attemptId: 'att_000000000000' };
      await expectRefused(world, runner, {
        write,
        lease: unknown,
        code: 'UNKNOWN_ATTEMPT',
        currentEpoch: null,
      });
    },
  );

  it.each(['events', 'accept'] as const)('refuses %s after the attempt ended', async (write) => {
    const { world, runner, lease } = await sceneWithLease(make);
    await runner.finish(lease, { marker: 'DONE' });
    await world.tick();
    await expectRefused(world, runner, {
      write,
      lease,
      code: 'ATTEMPT_TERMINAL',
      currentEpoch: lease.epoch,
    });
  });

  it('names the lost lease of a foreign or stale item in a renewal and leaves the attempt alone', async () => {
    const { world, runner, lease } = await sceneWithLease(make);
    const other = await addRunner(world);
    const before = await world.attempt(lease.attemptId);
    const stop = {
      attemptId: lease.attemptId,
      epoch: lease.epoch,
      verdict: 'stop',
      code: 'LEASE_LOST',
    };
    expect(await other.renew([heldItem(lease)])).toMatchObject({
      type: 'renewed',
      verdicts: [stop],
    });
    const stale = { ...lease, epoch: lease.epoch + 7 };
    expect(await runner.renew([heldItem(stale), heldItem(lease)])).toMatchObject({
      verdicts: [{ ...stop, epoch: stale.epoch }],
    });
    expect(await world.attempt(lease.attemptId)).toEqual(before);
    expect(
      await other.renew([heldItem({ attemptId: 'att_000000000000', epoch: 1 })]),
    ).toMatchObject({
      verdicts: [{ verdict: 'stop', code: 'UNKNOWN_ATTEMPT' }],
    });
  });

  it.each([...WRITES, 'renew', 'drain'] as const)(
    'refuses %s of a session that a newer one has replaced, and changes nothing',
    async (write) => {
      const { world, runner, lease } = await sceneWithLease(make);
      const older = runner.line();
      await runner.hello({ held: [heldItem(lease)] });
      const message =
        write === 'renew'
          ? runner.renewMessage([])
          : write === 'drain'
            ? ({ type: 'drain', deadlineMs: 1_000 } as const)
            : writes(runner, lease, world.clock.nowMs())[write];
      if (message === undefined) throw new Error(`no write ${write}`);
      const before = await dumpTables(world.deps.db);
      const replies = await older(message);
      expect(await dumpTables(world.deps.db)).toEqual(before);
      // A decline of what already runs says nothing that anyone waits for.
      if (write !== 'decline') expect(replies).toMatchObject([{ code: 'STALE_SESSION' }]);
      expect(await runner.renew([heldItem(lease)])).toMatchObject({ type: 'renewed' });
    },
  );

  it('lets exactly one of two sessions that begin at once go on', async () => {
    const { world, runner, lease } = await sceneWithLease(make);
    const held = [heldItem(lease)];
    const peers = [runner.newLine(), runner.newLine()];
    await Promise.all(peers.map((say) => say(runner.helloMessage({ held }))));
    const answers = await Promise.all(peers.map((say) => say(runner.renewMessage(held))));
    const kinds = answers
      .flat()
      .map((answer) => (answer.type === 'error' ? answer.code : answer.type));
    expect(kinds.toSorted()).toEqual(['STALE_SESSION', 'renewed']);
    expect(await world.attempt(lease.attemptId)).toMatchObject({
      status: 'running',
      epoch: lease.epoch,
    });
  });

  it('cuts a revoked runner off: nothing is granted, renewed or stored any more', async () => {
    const { world, runner, lease } = await sceneWithLease(make);
    const say = runner.line();
    await revokeRunner(world.deps, { runnerId: runner.runnerId, caller: PERSON });
    expect(world.core.sockets.closed).toEqual([{ runnerId: runner.runnerId, code: 4403 }]);
    const before = await dumpTables(world.deps.db);
    for (const write of WRITES) {
      const message = writes(runner, lease, world.clock.nowMs())[write];
      if (message === undefined) continue;
      const replies = await refusalOf(() => say(message));
      expect(replies.filter((reply) => !/^(fence|error)$/.test(reply.type))).toEqual([]);
      for (const reply of replies) expect(reply).toMatchObject({ code: 'RUNNER_REVOKED' });
    }
    for (const reply of await refusalOf(() => say(runner.renewMessage([heldItem(lease)])))) {
      expect(reply).toMatchObject({ type: 'error', retryable: false });
    }
    expect(await dumpTables(world.deps.db)).toEqual(before);
    await world.pass(100_000);
    expect(await world.attempt(lease.attemptId)).toMatchObject({
      status: 'queued',
      runner_id: null,
    });
  });

  it('never opens a pull request for an attempt that was stopped while delivering', async () => {
    const { world, runner, identifier, lease } = await sceneWithLease(make);
    await runner.finish(lease, { marker: 'DONE', delivery: DELIVERY });
    await abortIssue(world.deps, { identifier, caller: PERSON });
    await world.tick();
    expect(await world.issue(identifier)).toMatchObject({
      status: 'cancelled',
      pull_request_url: null,
    });
  });
}
