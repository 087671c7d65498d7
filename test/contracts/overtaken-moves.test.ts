import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { issues } from '../../control-plane/src/db/schema/work/issues.ts';
import {
  logTransition,
  TRACKER_ACTOR,
} from '../../control-plane/src/issues/rows/log-transition.ts';
import { enqueueEffect } from '../../control-plane/src/jobs/queue/enqueue-effect.ts';
import { TrackerError } from '../../control-plane/src/ports/tracker/tracker.ts';
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

  describe('to review', () => {
    /** The wish, and then somebody's move as our log has it. */
    async function wishThenMoved(actor: string, to: string): Promise<void> {
      const { world, identifier, lease } = scene;
      const { db } = world.deps;
      const issue = await world.issue(identifier);
      const review = enqueueEffect(db, world.clock.nowMs(), {
        key: `${lease.attemptId}:review`,
        effect: { kind: 'tracker.transition', role: 'review' },
        subject: { tracker: issue.tracker, issueId: issue.id, attemptId: lease.attemptId },
        repeat: false,
      });
      world.clock.advance(100);
      const move = { issue, from: issue.state, to, reason: null, actor };
      await db.batch([review, logTransition(db, world.clock.nowMs(), move)]);
      await db.update(issues).set({ state: to });
      watch.down = false;
      await world.pass(100);
    }

    it('is made though the tracker shows a move that may have been our own', async () => {
      await wishThenMoved(TRACKER_ACTOR, 'In Progress');
      expect(watch.moves).toEqual(['In Review']);
    });

    it('is not made once a person has moved the issue here', async () => {
      await wishThenMoved('ada', 'In Progress');
      expect(watch.moves).toEqual([]);
    });

    it('takes back no end that somebody set in the tracker', async () => {
      await wishThenMoved(TRACKER_ACTOR, 'Done');
      expect(watch.moves).toEqual([]);
    });
  });
});
