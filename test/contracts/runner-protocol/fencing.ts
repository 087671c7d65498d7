import { expect, it } from 'vitest';
import type { ControlPlaneMessage, RunnerMessage } from '@switchyard/shared/protocol/messages';
import { abortIssue } from '../../../control-plane/src/issues/actions/abort-issue.ts';
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
function writes(runner: ScriptedRunner, lease: Lease, nowMs: number): Record<Write, RunnerMessage> {
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
type Write = (typeof WRITES)[number];
/** Nobody waits for an answer to these. */
const UNANSWERED: ReadonlySet<Write> = new Set(['decline', 'released']);
type Say = (message: RunnerMessage) => Promise<ControlPlaneMessage[]>;

/** What came of saying something: the answers, and the tables that are different afterwards. */
async function attempt(
  world: CoreWorld,
  say: Say,
  message: RunnerMessage,
): Promise<{ answers: ControlPlaneMessage[]; changed: string[] }> {
  const before = await dumpTables(world.deps.db);
  const answers = await say(message);
  const after = await dumpTables(world.deps.db);
  const changed = Object.keys(after).filter(
    (table) => JSON.stringify(after[table]) !== JSON.stringify(before[table]),
  );
  return { answers, changed };
}

/** A fence, where an answer is due at all, and not one changed table. */
function refused(write: Write, lease: Lease, code: string, currentEpoch: number | null) {
  const { attemptId, epoch } = lease;
  const fence = { type: 'fence', attemptId, epoch, code, currentEpoch };
  return { answers: UNANSWERED.has(write) ? [] : [fence], changed: [] };
}

/** A transport that checks each request may turn a revoked runner away itself: no answer then. */
function orTurnedAway(say: Say): Say {
  return (message) =>
    say(message).catch((error: unknown) => {
      if (String(error).includes('401')) return [];
      throw error;
    });
}

export function describeFencing(make: MakeWorld): void {
  // Finished work counts until another run delivers: late-finish.test.ts.
  const refusable = WRITES.filter((write) => write !== 'a finish with a branch');
  it.each(refusable)(
    'refuses %s under an epoch that is over, and stores nothing',
    async (write) => {
      const { world, runner, lease } = await sceneWithLease(make);
      await world.pass(90_000 + 10_000);
      const { epoch } = await runner.accept(await runner.offerAgain());
      const message = writes(runner, lease, world.clock.nowMs())[write];
      expect(await attempt(world, runner.line(), message)).toEqual(
        refused(write, lease, 'LEASE_LOST', epoch),
      );
    },
  );

  it.each(WRITES)('refuses %s of a runner that does not hold the lease', async (write) => {
    const { world, lease } = await sceneWithLease(make);
    const other = await addRunner(world);
    const message = writes(other, lease, world.clock.nowMs())[write];
    expect(await attempt(world, other.line(), message)).toEqual(
      refused(write, lease, 'LEASE_LOST', lease.epoch),
    );
  });

  it.each(WRITES)('refuses %s about an attempt that does not exist', async (write) => {
    const { world, runner, lease } = await sceneWithLease(make);
    const unknown = { ...lease, attemptId: 'att_000000000000' };
    const message = writes(runner, unknown, world.clock.nowMs())[write];
    expect(await attempt(world, runner.line(), message)).toEqual(
      refused(write, unknown, 'UNKNOWN_ATTEMPT', null),
    );
  });

  it.each(['events', 'accept'] as const)('refuses %s after the attempt ended', async (write) => {
    const { world, runner, lease } = await sceneWithLease(make);
    await runner.finish(lease, { marker: 'DONE' });
    await world.tick();
    const message = writes(runner, lease, world.clock.nowMs())[write];
    expect(await attempt(world, runner.line(), message)).toEqual(
      refused(write, lease, 'ATTEMPT_TERMINAL', lease.epoch),
    );
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
      const messages = {
        ...writes(runner, lease, world.clock.nowMs()),
        renew: runner.renewMessage([]),
        drain: { type: 'drain', deadlineMs: 1_000 } as const,
      };
      const outcome = await attempt(world, older, messages[write]);
      // A decline of what already runs is nothing that could be refused.
      const answers = write === 'decline' ? [] : [{ code: 'STALE_SESSION' }];
      expect(outcome).toMatchObject({ answers, changed: [] });
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
    await world.revoke(runner.runnerId);
    expect(world.core.sockets.closed).toEqual([{ runnerId: runner.runnerId, code: 4403 }]);
    const messages = [
      ...Object.values(writes(runner, lease, world.clock.nowMs())),
      runner.renewMessage([heldItem(lease)]),
      runner.helloMessage({ held: [heldItem(lease)] }),
    ];
    for (const message of messages) {
      const { answers, changed } = await attempt(world, orTurnedAway(say), message);
      expect(changed).toEqual([]);
      expect(
        answers.filter((answer) => !('code' in answer && answer.code === 'RUNNER_REVOKED')),
      ).toEqual([]);
    }
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
