import { afterEach, describe, expect, it } from 'vitest';
import { localComments } from '../../control-plane/src/db/schema/work/local-issues.ts';
import { attemptRecord } from '../../control-plane/src/attempts/attempt-record.ts';
import { issueRecord } from '../../control-plane/src/issues/issue-record.ts';
import { callCore } from '../support/core/call-core.ts';
import { type CoreWorld, createCoreWorld } from '../support/core/core-world.ts';
import { openFramePeer } from '../support/core/runner-peers.ts';
import { sceneWithLease, sceneWithRunner } from './runner-protocol/scene.ts';

const worlds: CoreWorld[] = [];
const make = async (variables?: Record<string, string>) => {
  const world = await createCoreWorld(openFramePeer, variables);
  worlds.push(world);
  return world;
};
afterEach(async () => {
  for (const world of worlds.splice(0)) await world.close();
});

const ONE_TRY = { SERVICE_CONFIG__agent__maxContinuationAttempts: '0' };

async function commentOn(world: CoreWorld): Promise<string> {
  await world.tick();
  const rows = await world.deps.db.select().from(localComments);
  return rows.map(({ body }) => body).join('\n');
}

describe('the reason of an issue', () => {
  it('names the failure itself where the one attempt was the last', async () => {
    const { world, runner, identifier, lease } = await sceneWithLease(make, ONE_TRY);
    await runner.finish(lease, {
      outcome: 'failed',
      failureKind: 'agent_error',
      reasonCode: 'engine_killed',
      message: 'the agent engine was killed from outside (signal SIGKILL)',
    });
    await world.tick();
    expect(await world.issue(identifier)).toMatchObject({
      status: 'failed',
      reason_code: 'engine_killed',
      reason: 'the agent engine was killed from outside (signal SIGKILL)',
    });
    expect(await world.attempt(lease.attemptId)).toMatchObject({ reason_code: 'engine_killed' });
    const comment = await commentOn(world);
    expect(comment).toContain('The agent’s process was killed from outside.');
    expect(comment).not.toMatch(/retries|reported an error/i);
  });

  it('of a refused push has the rule, the next step and the code', async () => {
    const { world, runner, identifier, lease } = await sceneWithLease(make);
    const message =
      'the remote refused switchyard/SY-1: no merges on Friday (pre-receive hook declined)';
    await runner.finish(lease, { outcome: 'failed', failureKind: 'delivery_refused', message });
    expect(await world.issue(identifier)).toMatchObject({
      status: 'blocked',
      reason: message,
      reason_code: 'delivery_refused',
    });
    const comment = await commentOn(world);
    expect(comment).toContain('The repository refuses the result. The work is kept.');
    expect(comment).toContain(message);
    expect(comment).toContain('then deliver again; no agent runs for that.');
  });

  it('of work that the runner refuses blocks the issue, and nothing is delivered by asking', async () => {
    const { world, runner, identifier, lease } = await sceneWithLease(make);
    const message = 'not pushed: .github/workflows/x.yml: agents may not change it (workflow_file)';
    await runner.finish(lease, {
      outcome: 'failed',
      failureKind: 'delivery_refused',
      reasonCode: 'work_refused',
      message,
    });
    await world.pass(3_600_000);
    expect(runner.offers()).toEqual([]);
    expect(await world.issue(identifier)).toMatchObject({
      status: 'blocked',
      reason: message,
      reason_code: 'work_refused',
    });
    expect(await world.attempt(lease.attemptId)).toMatchObject({ reason_code: 'work_refused' });
    const comment = await commentOn(world);
    expect(comment).toContain('and the agent left it there.');
    expect(comment).toContain('agent.push.allowPaths');
    expect(comment).not.toMatch(/deliver again/i);
    const answer = await callCore(world, 'POST', `/api/v1/${identifier}/deliver`);
    expect(answer).toMatchObject({ status: 409 });
    expect(JSON.stringify(answer)).toContain('no delivery of');
  });

  it('of a paused upstream has no machine’s time and no address in it', async () => {
    const { world, runner } = await sceneWithRunner(make, { slots: 2 });
    const first = await world.createIssue({ priority: 1 });
    await world.tick();
    await runner.finish(await runner.accept(runner.offer()), {
      outcome: 'failed',
      failureKind: 'provider_unreachable',
      message: 'error sending request for url (http://10.1.2.3:8080/v1/responses)',
    });
    const second = await world.createIssue();
    await world.tick();
    for (const identifier of [first, second]) {
      expect(await world.issue(identifier)).toMatchObject({
        reason_code: 'provider_unreachable',
        reason: 'waiting for the model provider: it cannot be reached',
      });
    }
    expect(await commentOn(world)).not.toMatch(/10\.1\.2\.3|\dT\d\d:/);
  });

  it('ignores a finer code that does not belong to the kind of failure', async () => {
    const { world, runner, identifier, lease } = await sceneWithLease(make);
    await runner.finish(lease, {
      outcome: 'failed',
      failureKind: 'workspace_error',
      reasonCode: 'pull_request_opened',
    });
    expect((await world.issue(identifier)).reason_code).toBe('workspace_error');
  });

  it('goes with its text: none while the issue runs', async () => {
    const { world, identifier } = await sceneWithLease(make);
    expect(await world.issue(identifier)).toMatchObject({ reason: null, reason_code: null });
  });
});

describe('an attempt that ended without the agent’s word', () => {
  it('says so beside its outcome', async () => {
    const { world, runner, identifier, lease } = await sceneWithLease(make);
    await runner.finish(lease, { outcome: 'completed', marker: null });
    const issue = issueRecord(await world.issue(identifier), null);
    expect(issue).toMatchObject({ status: 'retrying', reasonCode: 'work_left' });
    const attempt = attemptRecord(await world.attempt(lease.attemptId), null);
    expect(attempt).toMatchObject({ outcome: 'completed', marker: null, reasonCode: 'work_left' });
  });
});
