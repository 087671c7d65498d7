import { afterEach, describe, expect, it } from 'vitest';
import { usageDays } from '../../control-plane/src/db/schema/work/usage.ts';
import { upstreamPauses } from '../../control-plane/src/db/schema/work/pauses.ts';
import { retryIssue } from '../../control-plane/src/issues/actions/retry-issue.ts';
import { pauseService, resumeService } from '../../control-plane/src/issues/pause/pause-service.ts';
import { type CoreWorld, createCoreWorld, PERSON } from '../support/core/core-world.ts';
import { openFramePeer } from '../support/core/runner-peers.ts';
import { addRunner, sceneWithLease, sceneWithRunner } from './runner-protocol/scene.ts';

const worlds: CoreWorld[] = [];
const make = async (variables?: Record<string, string>) => {
  const world = await createCoreWorld(openFramePeer, variables);
  worlds.push(world);
  return world;
};

afterEach(async () => {
  for (const world of worlds.splice(0)) await world.close();
});

const usage = (total: number) => ({
  kind: 'usage',
  payload: { totals: { input: total, cachedInput: 0, output: 0, reasoning: 0, total } },
});
const thread = (threadId: string) => ({
  kind: 'thread',
  payload: { threadId, resumed: false, engineVersion: '1' },
});

describe('the pause', () => {
  it('starts nothing while it lasts, says why, and survives a restart', async () => {
    const { world, runner } = await sceneWithRunner(make);
    await pauseService(world.deps, { reason: 'release day', stopRunning: false, caller: PERSON });
    const identifier = await world.createIssue();
    await world.tick();
    await world.restart();
    await runner.hello();
    await world.tick();
    expect(await world.issue(identifier)).toMatchObject({
      status: 'queued',
      reason: 'paused: release day',
      attempt_count: 0,
    });
    await resumeService(world.deps, PERSON);
    await world.tick();
    expect(runner.offers()).toHaveLength(1);
  });

  it('stops what runs when asked to, and goes on with it afterwards at no cost', async () => {
    const { world, runner, identifier, lease } = await sceneWithLease(make);
    await pauseService(world.deps, { reason: 'fire', stopRunning: true, caller: PERSON });
    expect(world.core.sockets.take(runner.runnerId)).toMatchObject([{ type: 'cancel' }]);
    await runner.finish(lease, { outcome: 'cancelled' });
    await world.tick();
    expect(await world.issue(identifier)).toMatchObject({ status: 'queued', run_count: 0 });
    await resumeService(world.deps, PERSON);
    await world.tick();
    expect(runner.offer().spec.number).toBe(2);
  });
});

describe('a provider that fails', () => {
  const failed = {
    outcome: 'failed',
    failureKind: 'provider_unreachable',
    message: 'no route',
  } as const;

  it('is paused for everybody; one canary goes first, and its success lets the others follow', async () => {
    const { world, runner } = await sceneWithRunner(make, { slots: 3 });
    const first = await world.createIssue({ priority: 1 });
    await world.tick();
    const lease = await runner.accept(runner.offer());
    await runner.finish(lease, failed);
    const second = await world.createIssue({ priority: 2 });
    await world.tick();
    expect(runner.offers()).toEqual([]);
    expect((await world.issue(second)).reason).toMatch(
      /^waiting for the model provider: it cannot be reached$/,
    );
    expect(await world.issue(first)).toMatchObject({ status: 'retrying', run_count: 0 });

    await world.pass(10_001);
    const canary = runner.offer();
    await world.tick();
    expect(runner.offers()).toEqual([]);
    const trial = await runner.accept(canary);
    await runner.events(trial, thread('t1'), usage(10));
    await world.tick();
    expect(await world.deps.db.select().from(upstreamPauses)).toEqual([]);
    expect(runner.offers()).toHaveLength(1);
  });

  it('costs a night of failures no retry, and waits longer each time', async () => {
    const { world, runner, identifier, lease } = await sceneWithLease(make);
    await runner.finish(lease, failed);
    const waits: number[] = [];
    for (let night = 0; night < 12; night += 1) {
      const [pause] = await world.deps.db.select().from(upstreamPauses);
      const dueAtMs = Math.max(
        pause?.due_at_ms ?? 0,
        (await world.issue(identifier)).next_retry_at_ms ?? 0,
      );
      waits.push(dueAtMs - world.clock.nowMs());
      await world.pass(dueAtMs - world.clock.nowMs() + 1);
      await runner.finish(await runner.accept(runner.offer()), failed);
    }
    expect(await world.issue(identifier)).toMatchObject({ status: 'retrying', run_count: 0 });
    expect(waits[3]).toBeGreaterThan(waits[0] ?? 0);
    expect(Math.max(...waits)).toBeLessThanOrEqual(300_000);
  });
});

describe('budgets', () => {
  const small = { SERVICE_CONFIG__agent__budget__issueTokens: '1000' };

  it('stop an issue that only burns tokens, park it and say so', async () => {
    const { world, runner, identifier, lease } = await sceneWithLease(make, small);
    await runner.events(lease, thread('t1'), usage(999));
    expect(world.core.sockets.take(runner.runnerId)).toEqual([]);
    await runner.events(lease, usage(1_000));
    expect(world.core.sockets.take(runner.runnerId)).toMatchObject([{ type: 'cancel' }]);
    await runner.finish(lease, { outcome: 'cancelled' });
    await world.pass(600_000);
    const parked = await world.issue(identifier);
    expect(parked).toMatchObject({ status: 'blocked', attempt_count: 1 });
    expect(parked.reason).toMatch(/^used 1000 of 1000 tokens/);
    expect((await world.attempt(lease.attemptId)).failure_kind).toBe('budget_exceeded');
  });

  it('count over the life of an issue, each thread once, whatever number of attempts', async () => {
    const { world, runner, identifier, lease } = await sceneWithLease(make, small);
    await runner.events(lease, thread('t1'), usage(400));
    await runner.finish(lease);
    await world.pass(1_001);
    const again = await runner.accept(runner.offer());
    await runner.events(again, thread('t1'), usage(700));
    expect((await world.issue(identifier)).tokens.total).toBe(700);
    await runner.events(again, thread('t2'), usage(299));
    expect((await world.issue(identifier)).tokens.total).toBe(999);
    const [today] = await world.deps.db.select().from(usageDays);
    expect(today?.tokens).toBe(999);
  });

  it('grant anew on a retry by hand', async () => {
    const { world, runner, identifier, lease } = await sceneWithLease(make, small);
    await runner.events(lease, thread('t1'), usage(2_000));
    await runner.finish(lease, { outcome: 'cancelled' });
    await world.pass(60_000);
    expect(runner.offers()).toEqual([]);
    await retryIssue(world.deps, { identifier, caller: PERSON });
    await world.tick();
    expect(runner.offers()).toHaveLength(1);
  });

  it('go on by themselves once they are raised', async () => {
    const { world, runner, lease } = await sceneWithLease(make, small);
    await runner.events(lease, thread('t1'), usage(2_000));
    await runner.finish(lease, { outcome: 'cancelled' });
    await world.tick();
    await world.restart({ SERVICE_CONFIG__agent__budget__issueTokens: '100000' });
    await runner.hello();
    await world.tick();
    expect(runner.offers()).toHaveLength(1);
  });

  it('of time let an issue go on once one attempt may take longer, and not before', async () => {
    const minutes = (value: string) => ({ SERVICE_CONFIG__agent__budget__attemptMinutes: value });
    const { world, runner, identifier, lease } = await sceneWithLease(make, minutes('30'));
    await runner.finish(lease, { outcome: 'failed', failureKind: 'budget_exceeded' });
    await world.pass(600_000);
    expect(await world.issue(identifier)).toMatchObject({ status: 'blocked' });
    await world.restart(minutes('20'));
    await runner.hello();
    await world.pass(600_000);
    expect(runner.offers()).toEqual([]);
    await world.restart(minutes('60'));
    await runner.hello();
    await world.tick();
    expect(runner.offers()).toHaveLength(1);
  });

  it('of a day hold everybody back until the next day begins', async () => {
    const variables = { SERVICE_CONFIG__agent__budget__dayTokens: '500' };
    const { world, runner } = await sceneWithRunner(make, { variables, slots: 2 });
    await world.createIssue();
    await world.tick();
    const lease = await runner.accept(runner.offer());
    await runner.events(lease, thread('t1'), usage(600));
    await runner.finish(lease, { outcome: 'cancelled' });
    await world.pass(3_600_000);
    expect(runner.offers()).toEqual([]);
    await world.pass(24 * 3_600_000);
    expect(runner.offers()).toHaveLength(1);
  });
});

describe('another machine', () => {
  it('gets the newest checkpoint of an attempt whose runner is gone', async () => {
    const { world, runner, lease } = await sceneWithLease(make);
    await runner.events(lease, thread('t1'), {
      kind: 'checkpoint',
      payload: {
        ordinal: 1,
        trigger: 'turn_completed',
        threadId: 't1',
        turnId: null,
        commitSha: 'c'.repeat(40),
        baseCommit: 'a'.repeat(40),
        sessionBlob: `attempts/${lease.attemptId}/1/session-1`,
        diffBlob: null,
        diffStat: null,
        tokens: usage(5).payload.totals,
      },
    });
    world.core.sockets.disconnect(runner.runnerId);
    const other = await addRunner(world);
    await world.pass(101_000);
    const offer = other.offer();
    expect(offer).toMatchObject({ attemptId: lease.attemptId, epoch: lease.epoch + 2 });
    expect(offer.spec).toMatchObject({
      resumeThreadId: 't1',
      resume: { commitSha: 'c'.repeat(40), sessionBlob: `attempts/${lease.attemptId}/1/session-1` },
    });
  });
});
