import type { AttemptCheckList } from '@switchyard/shared/checks/attempt-check';
import type { IssuePullRequest } from '@switchyard/shared/api/work/pull-request';
import { describe, expect, it } from 'vitest';
import { callCore } from '../support/core/call-core.ts';
import { DELIVERY } from '../support/core/scripted-runner.ts';
import { useCoreWorlds } from '../support/core/use-core-worlds.ts';
import { type RunningScene, sceneWithRunner } from './runner-protocol/scene.ts';

const make = useCoreWorlds();
const COMMIT = 'c'.repeat(40);
const CHECKS = [
  { name: 'lint', command: 'npm run lint' },
  { name: 'test', command: 'npm test {{ not.liquid }}', timeout_ms: 5_000 },
];

const started = (name: string, run = 1) => ({
  kind: 'check',
  payload: { state: 'started', name, commitSha: COMMIT, run },
});
const ended = (name: string, more: Record<string, unknown> = {}) => ({
  kind: 'check',
  payload: {
    state: 'ended',
    name,
    commitSha: COMMIT,
    run: 1,
    result: 'passed',
    exitCode: 0,
    durationMs: 1_200,
    output: 'all well',
    ...more,
  },
});

/** An attempt whose repository declares two checks. */
async function sceneWithChecks(): Promise<RunningScene> {
  const route = { prefix: 'SY', url: 'file:///srv/repositories/shop', checks: CHECKS };
  const variables = { SERVICE_CONFIG__repos: JSON.stringify([route]) };
  const scene = await sceneWithRunner(make, { variables });
  const { world, runner } = scene;
  const identifier = await world.createIssue();
  await world.tick();
  const lease = await runner.accept(runner.offer());
  await world.tick();
  return { ...scene, identifier, lease };
}

async function checksOf({ world, lease }: RunningScene) {
  const { status, body } = await callCore(
    world,
    'GET',
    `/api/v1/attempts/${lease.attemptId}/checks`,
  );
  expect(status).toBe(200);
  return (body as AttemptCheckList).checks;
}
const statesOf = async (scene: RunningScene) => (await checksOf(scene)).map(({ state }) => state);

describe('the declared checks of a repository', () => {
  it('are in the specification and in the prompt, as they were written', async () => {
    const { world, lease } = await sceneWithChecks();
    const { spec } = await world.attempt(lease.attemptId);
    expect(spec.checks).toEqual([
      { name: 'lint', command: 'npm run lint', timeoutMs: 600_000 },
      { name: 'test', command: 'npm test {{ not.liquid }}', timeoutMs: 5_000 },
    ]);
    for (const prompt of [spec.prompt, spec.continuationPrompt]) {
      expect(prompt).toContain('npm test {{ not.liquid }}');
    }
  });

  it('are told from the first on, with what the last run of each printed', async () => {
    const scene = await sceneWithChecks();
    const { world, runner, lease } = scene;
    expect(await statesOf(scene)).toEqual(['pending', 'pending']);
    const failed = { result: 'failed', exitCode: 2, output: '\u001b[31mno\u001b[0m' };
    await runner.events(lease, started('lint'), ended('lint', failed), started('lint', 2));
    expect(await statesOf(scene)).toEqual(['running', 'pending']);
    await runner.events(lease, ended('lint', { run: 2, ...failed, changedFiles: ['a.txt'] }));
    await runner.events(lease, started('test'));
    world.clock.advance(1_000);
    await runner.events(
      lease,
      ended('test', { result: 'timed_out', exitCode: null, message: 'it took longer than 5 s' }),
    );
    expect(await checksOf(scene)).toMatchObject([
      {
        name: 'lint',
        command: 'npm run lint',
        state: 'failed',
        exitCode: 2,
        runs: 2,
        output: 'no',
        changedFiles: ['a.txt'],
        commitSha: COMMIT,
        durationMs: 1_200,
      },
      { state: 'timed_out', exitCode: null, message: 'it took longer than 5 s' },
    ]);
  });

  it('have times of their runner only as far as they can be', async () => {
    const scene = await sceneWithChecks();
    const { world, runner, lease } = scene;
    const { attemptId, epoch } = lease;
    const item = { ...ended('lint', { durationMs: 1e300 }), seq: 1, atMs: 1e300 };
    await runner.send({ type: 'events', attemptId, epoch, from: 1, items: [item] });
    const now = new Date(world.clock.nowMs()).toISOString();
    expect((await checksOf(scene))[0]).toMatchObject({ endedAt: now, durationMs: 86_400_000 });
  });

  it('takes none that is not declared, and refuses what is no result', async () => {
    const scene = await sceneWithChecks();
    const { runner, lease } = scene;
    await runner.events(lease, ended('deploy'), ended('lint'));
    expect(await checksOf(scene)).toMatchObject([{ state: 'passed' }, { state: 'pending' }]);
    const refused = await runner.events(lease, ended('lint', { result: 'wonderful' }));
    expect(JSON.stringify(refused)).toContain('EVENT_INVALID');
  });

  it('are begun anew under the next lease', async () => {
    const scene = await sceneWithChecks();
    const { world, runner, lease } = scene;
    await runner.events(lease, ended('lint'), started('test'));
    const { attemptId, epoch } = lease;
    const released = { why: 'it stops', container: 'dead', orderly: true } as const;
    await runner.send({ type: 'released', attemptId, epoch, ...released });
    await world.tick();
    expect(await statesOf(scene)).toEqual(['pending', 'pending']);
    const taken = await runner.accept(runner.offer());
    await runner.events(taken, started('lint'));
    expect(await statesOf(scene)).toEqual(['running', 'pending']);
  });

  it('were not run where only a former lease ran them', async () => {
    const scene = await sceneWithChecks();
    const { world, runner, lease, identifier } = scene;
    await runner.events(lease, ended('lint'), ended('test'));
    const { attemptId, epoch } = lease;
    const released = { why: 'it stops', container: 'dead', orderly: true } as const;
    await runner.send({ type: 'released', attemptId, epoch, ...released });
    await world.tick();
    const taken = await runner.accept(runner.offer());
    await runner.finish(taken, { marker: 'DONE', delivery: DELIVERY });
    await world.tick();
    expect(await world.issue(identifier)).toMatchObject({ status: 'completed' });
    expect(await statesOf(scene)).toEqual(['not_run', 'not_run']);
  });

  it('stand beside the work that they passed, also once it has ended', async () => {
    const scene = await sceneWithChecks();
    const { world, runner, lease, identifier } = scene;
    await runner.events(lease, ended('lint'), ended('test', { run: 2 }));
    await runner.finish(lease, { marker: 'DONE', delivery: DELIVERY });
    await world.tick();
    expect(await world.issue(identifier)).toMatchObject({ status: 'completed' });
    expect(await checksOf(scene)).toMatchObject([
      { state: 'passed' },
      { state: 'passed', runs: 2 },
    ]);
    const { body } = await callCore(world, 'GET', `/api/v1/${identifier}/pull-request`);
    const { pullRequest } = body as IssuePullRequest;
    expect(pullRequest.body).toContain('passed at the second run');
    expect(pullRequest.body).toContain(`on \` ${pullRequest.commitSha.slice(0, 7)} \`.`);
  });

  it('were not run by a runner that does not know them, and the work is delivered', async () => {
    const scene = await sceneWithChecks();
    const { world, runner, lease, identifier } = scene;
    await runner.finish(lease, { marker: 'DONE', delivery: DELIVERY });
    await world.tick();
    expect(await world.issue(identifier)).toMatchObject({ status: 'completed' });
    expect(await checksOf(scene)).toMatchObject([
      { state: 'not_run', message: 'The attempt ended before this check.' },
      { state: 'not_run' },
    ]);
  });
});
