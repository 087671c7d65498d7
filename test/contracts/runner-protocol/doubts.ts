import { expect, it } from 'vitest';
import type { RunnerMessage } from '@switchyard/shared/protocol/messages';
import { dumpTables } from '../../support/core/dump-tables.ts';
import {
  eventsMessage,
  finishMessage,
  heldItem,
  note,
  numbered,
  scriptRunner,
} from '../../support/core/scripted-runner.ts';
import type { MakeWorld } from '../describe-runner-protocol.ts';
import { sceneWithLease } from './scene.ts';

export function describeDoubts(make: MakeWorld): void {
  it('answers a failing database as retryable, never with a fence, and loses nothing', async () => {
    const { world, runner, lease } = await sceneWithLease(make);
    const events = eventsMessage(lease, numbered(lease, [note('one')], world.clock.nowMs()));
    const messages: RunnerMessage[] = [
      events,
      runner.renewMessage([heldItem(lease)]),
      runner.acceptMessage(lease),
      finishMessage(lease, { outcome: 'failed' }),
      runner.helloMessage({ held: [heldItem(lease)] }),
    ];
    const before = await dumpTables(world.deps.db);
    world.failDatabase('writes');
    for (const message of messages) {
      expect(await runner.sendOne(message)).toMatchObject({ type: 'error', retryable: true });
    }
    world.failDatabase('none');
    expect(await dumpTables(world.deps.db)).toEqual(before);
    expect(await runner.sendOne(events)).toMatchObject({ type: 'ack', upto: 1 });
    expect(await runner.renew([heldItem(lease)])).toMatchObject({ type: 'renewed', verdicts: [] });
  });

  it('moves no work while the database fails, and does not count that time against a runner', async () => {
    const { world, runner, lease } = await sceneWithLease(make);
    world.failDatabase('writes');
    world.clock.advance(20_000);
    await expect(world.tick()).rejects.toThrow('disk I/O');
    world.failDatabase('none');
    await runner.renew([heldItem(lease)]);
    await world.pass(89_000);
    expect(await world.attempt(lease.attemptId)).toMatchObject({ status: 'running', epoch: 1 });
  });

  it('answers a message it does not know and goes on with the rest of the frame', async () => {
    const { world, runner, lease } = await sceneWithLease(make);
    const strange = { type: 'teleport', to: 'mars' } as unknown as RunnerMessage;
    const wrong = { type: 'renew', held: 'none' } as unknown as RunnerMessage;
    const events = eventsMessage(lease, numbered(lease, [note('one')], world.clock.nowMs()));
    expect(await runner.send(strange, wrong, events)).toMatchObject([
      { type: 'error', code: 'UNSUPPORTED', retryable: false },
      { type: 'error', code: 'INVALID', retryable: false },
      { type: 'ack', upto: 1 },
    ]);
    for (const odd of [null, 7, 'text', [], { type: null }]) {
      expect(await runner.sendOne(odd as unknown as RunnerMessage)).toMatchObject({
        code: 'UNSUPPORTED',
      });
    }
  });

  it('ignores fields of a later protocol version', async () => {
    const { runner, lease } = await sceneWithLease(make);
    const renew = { ...runner.renewMessage([heldItem(lease)]), mood: 'fine' };
    expect(await runner.sendOne(renew)).toMatchObject({ type: 'renewed' });
  });

  it('takes nothing before hello, from another runner’s name or a protocol it does not speak', async () => {
    const world = await make();
    const runner = scriptRunner(world, await world.join());
    expect(await runner.sendOne(runner.renewMessage([]))).toMatchObject({ code: 'NO_SESSION' });
    const foreign = runner.helloMessage({ runnerId: 'run_000000000000' });
    expect(await runner.sendOne(foreign)).toMatchObject({ code: 'WRONG_RUNNER' });
    const later = runner.helloMessage({ protocol: { min: 7, max: 9 } });
    expect(await runner.sendOne(later)).toMatchObject({ code: 'PROTOCOL', retryable: false });
  });

  it('permits pushes of the attempt’s own branch and repository only, under a live lease', async () => {
    const { world, runner, lease } = await sceneWithLease(make);
    const row = await world.attempt(lease.attemptId);
    const permit = async (changes: Record<string, unknown>, epoch = lease.epoch) => {
      const params = {
        branch: 'switchyard/SY-1',
        repositoryUrl: row.repository_url,
        commitSha: 'b'.repeat(40),
        ...changes,
      };
      const { attemptId } = lease;
      const reply = await runner.sendOne({
        type: 'call',
        callId: 'c1',
        attemptId,
        epoch,
        method: 'push.permit',
        params,
        timeoutMs: 1_000,
      });
      return reply.type === 'result' ? reply.value : reply;
    };
    expect(await permit({})).toEqual({ allowed: true });
    expect(await permit({ branch: 'main' })).toMatchObject({ allowed: false });
    expect(await permit({ repositoryUrl: 'file:///srv/other' })).toMatchObject({ allowed: false });
    expect(await permit({}, lease.epoch + 1)).toMatchObject({ allowed: false });
    const older = runner.line();
    await runner.hello({ held: [heldItem(lease)] });
    const params = {
      branch: 'switchyard/SY-1',
      repositoryUrl: row.repository_url,
      commitSha: 'b'.repeat(40),
    };
    const { attemptId, epoch } = lease;
    const [stale] = await older({
      type: 'call',
      callId: 'c2',
      attemptId,
      epoch,
      method: 'push.permit',
      params,
      timeoutMs: 1_000,
    });
    expect(stale).not.toMatchObject({ value: { allowed: true } });
  });
}
