import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createSessionScene, type SessionScene } from '../support/linear/session-scene.ts';

let scene: SessionScene;
beforeEach(async () => {
  scene = await createSessionScene();
});
afterEach(() => scene.close());

describe('a tracker in trouble', () => {
  it('is told each thing once and in order, however often it is sent', async () => {
    scene.fake.fail({ kind: 'lost' }, 'CreateAgentActivity');
    const { id } = scene.issue('Fix it');
    const session = scene.fake.world.sessions.delegate(id, scene.fake.world.ada);
    scene.fake.fail({ kind: 'status', status: 502 }, 'CreateAgentActivity');
    await scene.settle();
    const runner = await scene.addRunner();
    await scene.world.pass(300_000);
    await runner.accept(runner.offer());
    await scene.world.pass(5_000);
    expect(scene.said(session)).toEqual([
      'thought: Queued: No runner is connected, so no agent can start.',
      'thought: Attempt 1 is running.',
    ]);
  });

  it('waits as long as Linear asks, also over a restart', async () => {
    const body = JSON.stringify({
      errors: [{ message: 'x', extensions: { code: 'RATELIMITED' } }],
    });
    const { id } = scene.issue('Fix it');
    const session = scene.fake.world.sessions.delegate(id, scene.fake.world.ada);
    const headers = { 'retry-after': '120' };
    scene.fake.fail({ kind: 'status', status: 400, body, headers }, 'CreateAgentActivity');
    for (const event of scene.withhold()) await scene.deliver(event);
    expect(session.activities).toEqual([]);
    await scene.restart();
    await scene.world.pass(121_000);
    await scene.settle();
    await scene.world.pass(300_000);
    expect(scene.said(session)).toEqual([expect.stringContaining('Queued')]);
  });

  it('says nothing more in a session that people ended', async () => {
    const { session, runner, lease } = await scene.running();
    session.dismissed = true;
    await runner.finish(lease, { marker: 'DONE', summary: 'Done.' });
    await scene.settle();
    scene.fake.requests.length = 0;
    await scene.world.pass(3_600_000);
    const about = scene.fake.requests.filter(({ operation }) => operation.includes('Agent'));
    expect(about).toEqual([]);
  });

  it('hears that it still goes on before it takes the session for stale', async () => {
    const { id } = scene.issue('Fix it');
    const session = scene.fake.world.sessions.delegate(id, scene.fake.world.ada);
    await scene.settle();
    for (let minutes = 0; minutes < 60; minutes += 5) await scene.world.pass(300_000);
    const moments = session.activities.map(({ atMs }) => atMs);
    const gaps = moments.slice(1).map((atMs, at) => atMs - moments[at]!);
    expect(gaps).toHaveLength(2);
    expect(Math.max(...gaps)).toBeLessThan(30 * 60_000);
    expect(scene.said(session)).toHaveLength(2);
  });
});
