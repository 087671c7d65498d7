import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { enqueueEffect } from '../../control-plane/src/jobs/queue/enqueue-effect.ts';
import { TrackerError } from '../../control-plane/src/issues/tracker/tracker.ts';
import { type CoreWorld, createCoreWorld } from '../support/core/core-world.ts';
import { openFramePeer } from '../support/core/runner-peers.ts';
import { type RunningScene, sceneWithRunner } from './runner-protocol/scene.ts';

const worlds: CoreWorld[] = [];
const make = async (variables?: Record<string, string>) => {
  const world = await createCoreWorld(openFramePeer, variables);
  worlds.push(world);
  return world;
};
afterEach(async () => {
  for (const world of worlds.splice(0)) await world.close();
});

/** Moves that reach the tracker; while `down`, none does. */
function watchMoves(world: CoreWorld) {
  const tracker = world.deps.trackers.get('local');
  if (tracker === undefined) throw new Error('no local tracker');
  const watch = { moves: [] as string[], down: true };
  const { transition } = tracker;
  tracker.transition = async (issueId, state) => {
    if (watch.down) throw new TrackerError('transport', 'the tracker does not answer');
    watch.moves.push(state);
    return transition(issueId, state);
  };
  return watch;
}

describe('a move of an issue that had to wait', () => {
  let scene: RunningScene;
  let watch: ReturnType<typeof watchMoves>;
  beforeEach(async () => {
    const { world, runner } = await sceneWithRunner(make);
    watch = watchMoves(world);
    const identifier = await world.createIssue();
    await world.tick();
    scene = { world, runner, identifier, lease: await runner.accept(runner.offer()) };
    await world.tick();
    expect((await world.issue(identifier)).state).toBe('Todo');
  });

  it('is made later when it is still what is wanted', async () => {
    watch.down = false;
    await scene.world.pass(3_000);
    expect(watch.moves).toEqual(['In Progress']);
  });

  it('is not made once a later one was decided', async () => {
    const { world, identifier, lease } = scene;
    const { tracker, id: issueId } = await world.issue(identifier);
    world.clock.advance(100);
    const review = enqueueEffect(world.deps.db, world.clock.nowMs(), {
      key: `${lease.attemptId}:review`,
      effect: { kind: 'tracker.transition', role: 'review' },
      subject: { tracker, issueId, attemptId: lease.attemptId },
      repeat: false,
    });
    await world.deps.db.batch([review]);
    watch.down = false;
    await world.pass(100);
    expect(watch.moves).toEqual(['In Review']);
    await world.pass(3_000);
    expect(watch.moves).toEqual(['In Review']);
    expect((await world.issue(identifier)).state).toBe('In Review');
  });

  it('is not made when the attempt has ended whose start it was to show', async () => {
    const { world, runner, lease } = scene;
    world.clock.advance(100);
    const failed = {
      outcome: 'failed',
      failureKind: 'agent_error',
      message: 'it fell over',
    } as const;
    await runner.finish(lease, failed);
    watch.down = false;
    await world.pass(3_000);
    expect(watch.moves).toEqual([]);
  });
});
