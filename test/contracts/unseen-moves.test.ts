import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { IssueDetail } from '@switchyard/shared/api/work/issue';
import { MAX_TRIES } from '../../control-plane/src/jobs/queue/run-jobs.ts';
import { moveIssue } from '../../control-plane/src/issues/actions/move-issue.ts';
import { PERSON } from '../support/core/core-world.ts';
import { callCore } from '../support/core/call-core.ts';
import { createSessionScene, type SessionScene } from '../support/linear/session-scene.ts';
import type { FakeIssue } from '../support/linear/linear-rows.ts';
import { DELIVERY, type ScriptedRunner } from '../support/core/scripted-runner.ts';

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
  for (let left = ms; left > 0; left -= 20_000) {
    await scene.world.pass(20_000);
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
