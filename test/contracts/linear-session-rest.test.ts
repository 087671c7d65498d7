import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { FakeSession } from '../support/linear/linear-rows.ts';
import { createSessionScene, type SessionScene } from '../support/linear/session-scene.ts';
import type { ScriptedRunner } from '../support/core/scripted-runner.ts';

let scene: SessionScene;
let runner: ScriptedRunner;
let session: FakeSession;
let issueId: string;

/** An issue whose attempt is done, a minute ago. */
beforeEach(async () => {
  scene = await createSessionScene();
  runner = await scene.addRunner();
  issueId = scene.issue('Fix it').id;
  session = scene.fake.world.sessions.delegate(issueId, scene.fake.world.ada);
  await scene.settle();
  const lease = await runner.accept(runner.offer());
  await runner.finish(lease, { marker: 'DONE', summary: 'Done.' });
  await scene.settle();
  await scene.world.pass(60_000);
});
afterEach(() => scene.close());

function say(words: string): Promise<void> {
  scene.fake.world.sessions.prompt(session, words, scene.fake.world.ada);
  return scene.settle();
}

function move(state: string): Promise<void> {
  const { world } = scene.fake;
  world.change(issueId, { stateId: world.stateNamed(state).id }, world.ada);
  return scene.settle();
}

describe('a message in the session of a completed issue', () => {
  it('begins it anew and is heard', async () => {
    await say('Also in the tests');
    expect(runner.offer().spec.prompt).toContain('Also in the tests');
  });

  it('begins nothing where people have ended the issue, says so, and is heard once it is back', async () => {
    await move('Done');
    await say('Also in the tests');
    expect(runner.offers()).toEqual([]);
    expect(scene.said(session).at(-1)).toContain('The issue is in Done, so nothing begins');
    await move('Todo');
    expect(runner.offer().spec.prompt).toContain('Also in the tests');
  });
});
