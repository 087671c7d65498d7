import { expect, it } from 'vitest';
import type { RunnerMessageOf } from '@switchyard/shared/protocol/messages';
import { abortIssue } from '../../../control-plane/src/issues/actions/abort-issue.ts';
import { retryIssue } from '../../../control-plane/src/issues/actions/retry-issue.ts';
import { PERSON } from '../../support/core/core-world.ts';
import { DELIVERY } from '../../support/core/scripted-runner.ts';
import type { MakeWorld } from '../describe-runner-protocol.ts';
import { type RunningScene, sceneWithLease, sceneWithRunner } from './scene.ts';

type End = Partial<RunnerMessageOf<'finish'>>;
const ONE_ATTEMPT = { SERVICE_CONFIG__agent__maxContinuationAttempts: '0' };

/** How an issue comes to rest, and what it rests as. */
const RESTS: { status: string; variables?: Record<string, string>; end: End | 'abort' }[] = [
  { status: 'blocked', end: { marker: 'BLOCKED' } },
  { status: 'completed', end: { marker: 'DONE' } },
  { status: 'completed', end: { marker: 'DONE', delivery: DELIVERY } },
  {
    status: 'failed',
    variables: ONE_ATTEMPT,
    end: { outcome: 'failed', failureKind: 'agent_error' },
  },
  { status: 'cancelled', end: 'abort' },
];

async function comeToRest(scene: RunningScene, end: End | 'abort'): Promise<void> {
  const { world, runner, identifier, lease } = scene;
  if (end === 'abort') {
    await abortIssue(world.deps, { identifier, caller: PERSON });
    await runner.finish(lease, { outcome: 'cancelled' });
  } else await runner.finish(lease, end);
  await world.tick();
  await world.tick();
}

export function describeStanding(make: MakeWorld): void {
  it.each(RESTS)('lets a $status issue rest over time, ticks and restarts ($end)', async (rest) => {
    const scene = await sceneWithLease(make, rest.variables ?? {});
    const { world, runner, identifier } = scene;
    await comeToRest(scene, rest.end);
    const settled = await world.issue(identifier);
    expect(settled.status).toBe(rest.status);
    for (let start = 0; start < 3; start += 1) {
      await world.restart();
      await runner.hello();
      for (let run = 0; run < 3; run += 1) await world.pass(600_000);
      expect(runner.offers()).toEqual([]);
    }
    expect(await world.issue(identifier)).toMatchObject({ status: rest.status, attempt_count: 1 });
  });

  it.each(RESTS)(
    'wakes a $status issue when a person moves it back to work ($end)',
    async (rest) => {
      const scene = await sceneWithLease(make, rest.variables ?? {});
      const { world, runner, identifier } = scene;
      await comeToRest(scene, rest.end);
      const { state } = await world.issue(identifier);
      await world.editIssue(identifier, { state: 'Backlog' });
      await world.tick();
      expect(await world.issue(identifier)).toMatchObject({ status: rest.status });
      await world.editIssue(identifier, { state: 'In Progress' });
      await world.tick();
      expect(runner.offer()).toMatchObject({ spec: { number: 2 } });
      expect(state).not.toBe('Backlog');
    },
  );

  it.each([
    { title: 'Another title' },
    { description: 'More words' },
    { labels: ['urgent'] },
    { priority: 1 },
  ])('wakes a blocked issue when a person changes %o', async (changes) => {
    const scene = await sceneWithLease(make);
    const { world, runner, identifier } = scene;
    await comeToRest(scene, { marker: 'BLOCKED' });
    await world.editIssue(identifier, changes);
    await world.tick();
    expect(runner.offer()).toMatchObject({ spec: { number: 2 } });
    expect(await world.issue(identifier)).toMatchObject({ run_count: 1, failure_count: 0 });
  });

  it('is not woken by its own move to the state for blocked issues', async () => {
    const scene = await sceneWithLease(make, { SERVICE_CONFIG__tracker__states__blocked: 'Todo' });
    const { world, runner, identifier } = scene;
    await comeToRest(scene, { marker: 'BLOCKED' });
    for (let run = 0; run < 3; run += 1) await world.pass(600_000);
    expect(await world.issue(identifier)).toMatchObject({ status: 'blocked', state: 'Todo' });
    expect(runner.offers()).toEqual([]);
  });

  it('starts afresh when a person retries, from any rest', async () => {
    const scene = await sceneWithLease(make);
    const { world, runner, identifier } = scene;
    await comeToRest(scene, { marker: 'DONE', delivery: DELIVERY });
    await retryIssue(world.deps, { identifier, caller: PERSON });
    await world.tick();
    await world.tick();
    expect(runner.offer()).toMatchObject({ spec: { number: 2 } });
  });

  it('waits before the next try as a row, which a restart keeps', async () => {
    const { world, runner, identifier, lease } = await sceneWithLease(make);
    await runner.finish(lease, { outcome: 'failed', failureKind: 'agent_error', message: 'broke' });
    const retryAtMs = world.clock.nowMs() + 10_000;
    expect(await world.issue(identifier)).toMatchObject({
      status: 'retrying',
      next_retry_at_ms: retryAtMs,
    });
    await world.restart();
    await runner.hello();
    await world.pass(9_999);
    expect(runner.offers()).toEqual([]);
    expect(await world.issue(identifier)).toMatchObject({
      status: 'retrying',
      next_retry_at_ms: retryAtMs,
    });
    await world.pass(1);
    expect(runner.offer()).toMatchObject({ spec: { number: 2 } });
  });

  it('takes a provider’s reset time with care, whatever a runner says it is', async () => {
    const { world, runner, identifier, lease } = await sceneWithLease(make);
    const end = { outcome: 'failed', failureKind: 'usage_limited', resetAtMs: 1e300 } as const;
    expect(await runner.finish(lease, end)).toMatchObject({ type: 'finished' });
    const { next_retry_at_ms: nextRetryAtMs } = await world.issue(identifier);
    expect(nextRetryAtMs).toBeLessThan(world.clock.nowMs() + 40 * 86_400_000);
  });

  it('makes at most one attempt and the configured number of further ones', async () => {
    const variables = { SERVICE_CONFIG__agent__maxContinuationAttempts: '3' };
    const { world, runner } = await sceneWithRunner(make, { variables });
    const identifier = await world.createIssue();
    await world.tick();
    const ends: End[] = [
      { outcome: 'failed', failureKind: 'agent_error' },
      {},
      { outcome: 'stalled', failureKind: 'turn_stalled' },
      {},
    ];
    for (const [index, end] of ends.entries()) {
      const offer = runner.offer();
      expect(offer.spec.number).toBe(index + 1);
      await runner.finish(await runner.accept(offer), end);
      await world.pass(600_000);
    }
    for (let run = 0; run < 3; run += 1) await world.pass(600_000);
    expect(runner.offers()).toEqual([]);
    const issue = await world.issue(identifier);
    expect(issue).toMatchObject({ status: 'failed', attempt_count: 4 });
    expect(issue.reason_code).toBe('ended_without_result');
    expect(await world.attempt(issue.current_attempt_id ?? '')).toMatchObject({
      failure_kind: 'retries_exhausted',
    });
  });

  it('stops work on an issue that left the active states, and starts it when it comes back', async () => {
    const { world, runner, identifier, lease } = await sceneWithLease(make);
    await world.editIssue(identifier, { state: 'Backlog' });
    await world.tick();
    expect(world.core.sockets.take(runner.runnerId)).toMatchObject([{ type: 'cancel' }]);
    await runner.finish(lease, { outcome: 'cancelled' });
    await world.editIssue(identifier, { state: 'In Progress' });
    await world.tick();
    expect(runner.offer()).toMatchObject({ spec: { number: 2 } });
  });

  it('does the same for one that was only on offer', async () => {
    const { world, runner } = await sceneWithRunner(make);
    const identifier = await world.createIssue({ state: 'Todo' });
    await world.tick();
    const { attemptId } = runner.offer();
    await world.editIssue(identifier, { state: 'Backlog' });
    await world.tick();
    expect(await world.attempt(attemptId)).toMatchObject({ status: 'cancelled' });
    await world.editIssue(identifier, { state: 'Todo' });
    await world.tick();
    expect(runner.offer()).toMatchObject({ spec: { number: 2 } });
  });
}
