import type { AttemptDetail, StreamEvent } from '@switchyard/shared/api/work/attempt';
import type { HeldItem } from '@switchyard/shared/protocol/messages';
import { describe, expect, it } from 'vitest';
import { logLines } from '../../control-plane/cli/output/log-lines.ts';
import { callCore } from '../support/core/call-core.ts';
import { heldItem } from '../support/core/scripted-runner.ts';
import { useCoreWorlds } from '../support/core/use-core-worlds.ts';
import { type RunningScene, sceneWithLease } from './runner-protocol/scene.ts';

const make = useCoreWorlds();
const SECOND_MS = 1_000;

const turn = (state: string, number = 1) => ({
  kind: 'turn',
  payload: { state, turnId: `tu-${number}`, number },
});
const COMMAND = {
  kind: 'item',
  payload: {
    state: 'started',
    itemId: 'i-1',
    item: { type: 'command', command: 'npm test', status: 'inProgress' },
  },
};

/** An agent in its first turn, which told the last thing half a minute after its beginning. */
async function sceneInTurn(): Promise<RunningScene & { lastAt: string }> {
  const scene = await sceneWithLease(make);
  const { world, runner, lease } = scene;
  await runner.events(lease, turn('started'));
  world.clock.advance(30 * SECOND_MS);
  await runner.events(lease, COMMAND);
  return { ...scene, lastAt: new Date(world.clock.nowMs()).toISOString() };
}

async function eventsOf({ world, lease }: RunningScene): Promise<StreamEvent[]> {
  const path = `/api/v1/attempts/${lease.attemptId}?limit=500`;
  const { body } = await callCore(world, 'GET', path);
  return (body as AttemptDetail).events;
}

/** When what was open ended, as the log tells it. */
function endsOf(events: readonly StreamEvent[]): string[] {
  return events
    .filter(({ data }) => (data['payload'] as { state?: string } | undefined)?.state === 'ended')
    .map(({ at }) => at);
}

/** Both halves are killed, and are back after some seconds; the runner lists what it still has. */
async function comeBack(
  { world, runner }: RunningScene,
  held: HeldItem[] = [],
  afterMs = 17 * SECOND_MS,
): Promise<void> {
  world.clock.advance(afterMs);
  await world.restart();
  await runner.hello({ instanceId: `instance-of-${world.clock.nowMs()}`, held });
}

describe('work that was cut off', () => {
  it('ran until its last sign of life, not until its runner was back', async () => {
    const scene = await sceneInTurn();
    const { lastAt } = scene;
    await comeBack(scene);
    expect(endsOf(await eventsOf(scene))).toEqual([lastAt, lastAt]);
  });

  it('ran until the last renewal where it had nothing to tell', async () => {
    const scene = await sceneInTurn();
    const { world, runner, lease } = scene;
    await world.pass(10 * SECOND_MS);
    await runner.renew([heldItem(lease, lease.seq)]);
    const renewedAt = new Date(world.clock.nowMs()).toISOString();
    world.core.sockets.disconnect(runner.runnerId);
    await world.pass(world.deps.service.leaseTimes.ttlMs + world.deps.service.leaseTimes.graceMs);
    expect(endsOf(await eventsOf(scene))).toEqual([renewedAt, renewedAt]);
  });

  it('ran no longer for what a person wrote to it while it was dead', async () => {
    const scene = await sceneInTurn();
    const { world, lease, lastAt } = scene;
    world.clock.advance(9 * SECOND_MS);
    const { identifier } = scene;
    const { status } = await callCore(world, 'POST', `/api/v1/${identifier}/steer`, {
      message: 'hello?',
    });
    expect({ status, lease: lease.epoch }).toEqual({ status: 202, lease: 1 });
    await comeBack(scene);
    expect(endsOf(await eventsOf(scene))).toEqual([lastAt, lastAt]);
  });

  it('did not run while a new process of its runner found that it cannot go on', async () => {
    const scene = await sceneInTurn();
    const { runner, lease, lastAt } = scene;
    await comeBack(scene, [heldItem(lease, lease.seq)]);
    const { attemptId, epoch } = lease;
    await runner.send({ type: 'released', attemptId, epoch, why: 'gone', container: 'dead' });
    expect(endsOf(await eventsOf(scene))).toEqual([lastAt, lastAt]);
  });

  it('ran until it was given back in good order', async () => {
    const scene = await sceneInTurn();
    const { world, runner, lease } = scene;
    world.clock.advance(17 * SECOND_MS);
    const { attemptId, epoch } = lease;
    const released = { type: 'released', attemptId, epoch, container: 'dead' } as const;
    await runner.send({ ...released, why: 'the runner stops', orderly: true });
    const now = new Date(world.clock.nowMs()).toISOString();
    expect(endsOf(await eventsOf(scene))).toEqual([now, now]);
  });

  it('never ends before it began by the clock of its runner', async () => {
    const scene = await sceneWithLease(make);
    const { world, runner, lease } = scene;
    world.clock.advance(20 * SECOND_MS);
    await runner.events(lease, turn('started'));
    const begun = (await eventsOf(scene)).at(-1)?.at ?? '';
    await comeBack(scene, [], -20 * SECOND_MS);
    expect(endsOf(await eventsOf(scene))).toEqual([begun]);
  });

  it('is told in one line of the log of the attempt, in the dashboard and the command line', async () => {
    const scene = await sceneInTurn();
    await comeBack(scene);
    const events = await eventsOf(scene);
    const told = events.filter(({ type }) => type === 'attempt.requeued');
    expect(told).toMatchObject([{ data: { reasonCode: 'runner_lost', epoch: scene.lease.epoch } }]);
    // After the ends of what it cut off.
    expect(events.at(-1)).toEqual(told[0]);
    expect(told.flatMap((event) => logLines(event)).map((line) => line.slice(10))).toEqual([
      '* attempt requeued: runner lost (its runner was restarted); waiting for a runner to take it over',
    ]);
  });

  it('is no news of an offer that nobody took', async () => {
    const scene = await sceneWithLease(make);
    const { world, runner, lease } = scene;
    await comeBack(scene);
    await world.tick();
    const offer = runner.offer();
    await runner.send({
      type: 'decline',
      attemptId: offer.attemptId,
      epoch: offer.epoch,
      code: 'NO_SLOT',
      message: 'full',
    });
    expect(lease.attemptId).toBe(offer.attemptId);
    const events = await eventsOf(scene);
    expect(events.filter(({ type }) => type === 'attempt.requeued')).toHaveLength(1);
  });

  it('goes on with the next number of a turn', async () => {
    const scene = await sceneInTurn();
    const { world, runner } = scene;
    await comeBack(scene);
    await world.tick();
    const offer = runner.offer();
    expect(offer.spec.turnsBefore).toBe(1);
    const again = await runner.accept(offer);
    await runner.events(again, turn('started', 2));
    await comeBack(scene);
    await world.tick();
    expect(runner.offer().spec.turnsBefore).toBe(2);
  });
});
