import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { IssueDetail } from '@switchyard/shared/api/work/issue';
import { MAX_TRIES } from '../../control-plane/src/jobs/queue/run-jobs.ts';
import { notifications } from '../../control-plane/src/db/schema/people/notifications.ts';
import {
  MAX_TRACKER_STARTS,
  TRACKER_STARTS_WITHIN_MS,
} from '../../control-plane/src/issues/decide.ts';
import { retryIssue } from '../../control-plane/src/issues/actions/retry-issue.ts';
import { moveIssue } from '../../control-plane/src/issues/actions/move-issue.ts';
import { PERSON } from '../support/core/core-world.ts';
import { callCore } from '../support/core/call-core.ts';
import { createSessionScene, type SessionScene } from '../support/linear/session-scene.ts';
import type { FakeIssue } from '../support/linear/linear-rows.ts';
import { DELIVERY, type ScriptedRunner } from '../support/core/scripted-runner.ts';

const ROBOT = { id: 'rule-1', name: 'A rule', email: 'rule@example.com', isMe: false };

let scene: SessionScene;
let runner: ScriptedRunner;
let issue: FakeIssue;
beforeEach(async () => {
  scene = await createSessionScene();
  runner = await scene.addRunner();
  issue = scene.issue('Fix it');
  await scene.settle();
});
afterEach(() => scene.close());

const row = () => scene.world.issue('ENG-1');
const failures = async () => {
  const { body } = await callCore(scene.world, 'GET', '/api/v1/ENG-1');
  return (body as IssueDetail).trackerFailures;
};

/** The attempt on offer ends as one that has done its work, and time passes. */
async function finish(): Promise<void> {
  const lease = await runner.accept(runner.offer());
  await scene.world.tick();
  await runner.finish(lease, { marker: 'DONE', delivery: DELIVERY, summary: 'Done.' });
  await waits(60_000);
}

async function waits(ms: number): Promise<void> {
  const stepMs = Math.max(20_000, ms / 30);
  for (let left = ms; left > 0; left -= stepMs) {
    await scene.world.pass(stepMs);
    await scene.world.core.background.settled();
  }
}

describe.each(['openly', 'silently'] as const)('a tracker that ignores moves %s', (how) => {
  beforeEach(() => {
    scene.fake.world.ignoresMoves = how;
  });

  it('is never taken for a person who asks for more work', async () => {
    await finish();
    await waits(3_600_000);
    expect(runner.offers()).toEqual([]);
    expect(await row()).toMatchObject({ attempt_count: 1, state: 'Todo' });
  });

  it('is shown on the issue, until a move is seen', async () => {
    await finish();
    const words = how === 'openly' ? 'did not make the change' : 'still shows Todo';
    const failure = { change: 'state', state: 'In Review', error: expect.stringContaining(words) };
    expect(await failures()).toEqual([
      { ...failure, tries: expect.any(Number), nextTryAt: expect.any(String) },
    ]);
    await waits(3_600_000);
    expect(await failures()).toEqual([{ ...failure, tries: MAX_TRIES, nextTryAt: null }]);
    expect(runner.offers()).toEqual([]);
    scene.fake.world.ignoresMoves = null;
    const { world } = scene.fake;
    world.change(issue.id, { stateId: world.stateNamed('In Review').id }, world.ada);
    await waits(60_000);
    expect(await failures()).toEqual([]);
    expect(await row()).toMatchObject({ status: 'completed', state: 'In Review' });
  });

  it('follows as soon as it takes one', async () => {
    await finish();
    scene.fake.world.ignoresMoves = null;
    await waits(600_000);
    expect(await failures()).toEqual([]);
    expect(await row()).toMatchObject({ state: 'In Review', attempt_count: 1 });
  });

  it('is told to a person who moves the issue', async () => {
    const move = { identifier: 'ENG-1', caller: PERSON, to: 'Done', reason: null };
    const moving = moveIssue(scene.world.deps, { ...move, stopRunning: true });
    await expect(moving).rejects.toMatchObject({
      code: 'upstream_failed',
      message: expect.stringMatching(/did not make the change|still shows Todo/),
    });
    expect(await row()).toMatchObject({ state: 'Todo' });
    expect(await failures()).toEqual([]);
  });
});

describe('a rule of the tracker that moves an issue back to work', () => {
  /** What is offered within two minutes; undefined: nothing. */
  async function nextOffer() {
    for (let passes = 0; passes < 24; passes += 1) {
      const [offer] = runner.offers();
      if (offer !== undefined) return offer;
      await scene.world.pass(5_000);
      await scene.world.core.background.settled();
    }
    return undefined;
  }
  /** As an automation of the tracker does it, whenever the issue comes to review. */
  function moveBack(): void {
    const { world } = scene.fake;
    if (world.state(world.issue(issue.id).stateId).name !== 'In Review') return;
    world.change(issue.id, { stateId: world.stateNamed('Todo').id }, ROBOT);
  }
  /** Runs the agent as often as it is offered, and the rule after each. */
  async function workOn(): Promise<number> {
    for (let runs = 0; runs < 10; runs += 1) {
      const offer = await nextOffer();
      if (offer === undefined) return runs;
      const lease = await runner.accept(offer);
      await scene.world.tick();
      await runner.finish(lease, { marker: 'DONE', delivery: DELIVERY, summary: 'Done.' });
      await waits(60_000);
      moveBack();
    }
    return 10;
  }

  it('starts it three times in a day, then a person is asked', async () => {
    expect(await workOn()).toBe(1 + MAX_TRACKER_STARTS);
    expect(await row()).toMatchObject({
      status: 'blocked',
      reason_code: 'tracker_starts_used',
      state: 'Todo',
      reason:
        'changed in the tracker again (Todo), after 3 starts in 24 hours that nobody asked for here',
    });
    const [comment] = scene.fake.world.comments;
    expect(comment?.body).toContain('keep starting the issue again');
    const told = await scene.world.deps.db.select().from(notifications);
    expect(told.filter(({ type }) => type === 'worker_failed')).toHaveLength(1);
    // However often it is moved after that, until the day is over.
    for (const state of ['Backlog', 'In Progress', 'Backlog', 'Todo']) {
      const { world } = scene.fake;
      world.change(issue.id, { stateId: world.stateNamed(state).id }, ROBOT);
      await waits(60_000);
    }
    expect(runner.offers()).toEqual([]);
    expect(await scene.world.deps.db.select().from(notifications)).toHaveLength(told.length);
  });

  it('starts it again on the next day', async () => {
    await workOn();
    await scene.world.pass(TRACKER_STARTS_WITHIN_MS);
    scene.fake.world.change(issue.id, { title: 'Fix it all' }, ROBOT);
    expect(await nextOffer()).toBeDefined();
  });

  it.each([
    ['a comment', () => scene.fake.world.say(issue.id, 'Go on', scene.fake.world.ada)],
    ['a retry', () => retryIssue(scene.world.deps, { identifier: 'ENG-1', caller: PERSON })],
  ])('goes on after %s, with as many starts as at first', async (_, word) => {
    await workOn();
    await word();
    for (const event of scene.withhold()) await scene.deliver(event);
    expect(await workOn()).toBe(1 + MAX_TRACKER_STARTS);
  });
});

describe('what a person edits just before a move of ours', () => {
  it('is seen with the next look, whatever time the move has', async () => {
    const lease = await runner.accept(runner.offer());
    scene.fake.world.change(issue.id, { title: 'Fix the other one' }, scene.fake.world.ada);
    await waits(60_000);
    expect(await row()).toMatchObject({ state: 'In Progress', title: 'Fix the other one' });
    scene.fake.world.change(issue.id, { title: 'Fix both' }, scene.fake.world.ada);
    await runner.finish(lease, { marker: 'DONE', delivery: DELIVERY, summary: 'Done.' });
    await waits(600_000);
    expect(await row()).toMatchObject({ state: 'In Review', title: 'Fix both', attempt_count: 1 });
  });
});
