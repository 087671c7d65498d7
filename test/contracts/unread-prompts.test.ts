import { sql } from 'drizzle-orm';
import { describe, expect, it } from 'vitest';
import { beginRecovery } from '../../control-plane/src/runners/recovery/begin-recovery.ts';
import { callCore } from '../support/core/call-core.ts';
import { useCoreWorlds } from '../support/core/use-core-worlds.ts';
import { sceneWithRunner } from './runner-protocol/scene.ts';

const make = useCoreWorlds();

/** An issue at work and one that waits for a slot; who reads the prompts of the first one fails. */
async function atWork() {
  const scene = await sceneWithRunner(make, { slots: 1 });
  const { world, runner } = scene;
  const identifier = await world.createIssue();
  await world.tick();
  const lease = await runner.accept(runner.offer());
  await world.createIssue();
  await world.tick();
  const { tracker, id } = await world.issue(identifier);
  await world.deps.db.run(sql`update attempts set spec = '{'`);
  await world.deps.db.run(sql`insert into agent_sessions
    (tracker, session_id, issue_id, app_user_id, state, told, activity_at_ms, created_at_ms)
    values (${tracker}, 'ses_1', ${id}, 'app', 'open', '', 1, 1)`);
  return { ...scene, identifier, lease };
}

// Prompts are the most of an attempt's row, and many attempts are looked at often.
describe('an attempt at work', () => {
  it('is passed by a run of the coordinator without its prompts', async () => {
    const { world, identifier } = await atWork();
    await world.editIssue(identifier, { priority: 1 });
    await callCore(world, 'POST', '/api/v1/refresh');
    await world.tick();
    expect(await world.issue(identifier)).toMatchObject({ status: 'running', priority: 1 });
    const told = await world.deps.db.all(sql`select told from agent_sessions where told <> ''`);
    expect(told).toHaveLength(1);
  });

  it.each([
    ['/api/v1/runners', 200],
    ['/api/v1/SY-1/diff', 404],
  ])('is shown by %s without its prompts', async (path, status) => {
    const { world } = await atWork();
    expect(await callCore(world, 'GET', path)).toMatchObject({ status });
  });

  it('is found by a start without its prompts', async () => {
    const { world, lease } = await atWork();
    await beginRecovery(world.deps);
    const { body } = await callCore(world, 'GET', '/api/v1/recovery');
    expect(body).toMatchObject({ attempts: [{ attemptId: lease.attemptId, result: 'waiting' }] });
  });
});
