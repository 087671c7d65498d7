import type { RunnerMessageOf } from '@switchyard/shared/protocol/messages';
import { describe, expect, it } from 'vitest';
import { handleComment } from '../../control-plane/src/issues/actions/handle-comment.ts';
import { retryIssue } from '../../control-plane/src/issues/actions/retry-issue.ts';
import { pauseService, resumeService } from '../../control-plane/src/issues/pause/pause-service.ts';
import { PERSON } from '../support/core/core-world.ts';
import type { Lease } from '../support/core/scripted-runner.ts';
import { useCoreWorlds } from '../support/core/use-core-worlds.ts';
import { type Scene, sceneWithRunner } from './runner-protocol/scene.ts';

const make = useCoreWorlds();

const MAX_RUNS = 4;
/** Many tries, so that only the bound of all runs together ends this. */
const VARIABLES = {
  SERVICE_CONFIG__agent__budget__unattendedRuns: String(MAX_RUNS),
  SERVICE_CONFIG__agent__maxContinuationAttempts: '50',
};
const USAGE = { input: 90, cachedInput: 0, output: 10, reasoning: 0, total: 100 };
const turn = {
  kind: 'turn',
  payload: { turnId: 'turn-1', state: 'started', number: 1 },
};

type End = (scene: Scene, lease: Lease) => Promise<unknown>;

const givenBack: End = async ({ world, runner }, { attemptId, epoch }) => {
  const why = 'the runner was drained';
  await runner.send({ type: 'released', attemptId, epoch, why, orderly: true, container: 'dead' });
  await world.pass(1_000);
};
const failed =
  (more: Partial<RunnerMessageOf<'finish'>>): End =>
  async ({ runner }, lease) =>
    runner.finish(lease, { outcome: 'failed', usage: USAGE, message: 'it failed', ...more });

/** Every way in which an agent that has run is started again. */
const ENDS: [string, End][] = [
  ['its runner gave it back in good order', givenBack],
  [
    'its runner vanished',
    async ({ world, runner }) => {
      await runner.hello({ held: [], instanceId: `instance-${world.clock.nowMs()}` });
    },
  ],
  ['the provider refused its key', failed({ failureKind: 'auth_failed' })],
  ['its usage limit was reached', failed({ failureKind: 'usage_limited' })],
  ['the provider was out of reach', failed({ failureKind: 'provider_unreachable' })],
  [
    'the code host was out of reach',
    failed({ failureKind: 'provider_unreachable', upstream: 'codehost' }),
  ],
  ['it failed', failed({ failureKind: 'agent_error' })],
  ['it ended with work left', failed({ outcome: 'completed' })],
  [
    'the service was paused and resumed',
    async ({ world, runner }, lease) => {
      await pauseService(world.deps, { reason: 'lunch', stopRunning: true, caller: PERSON });
      await runner.finish(lease, { outcome: 'cancelled', usage: USAGE });
      await resumeService(world.deps, PERSON);
    },
  ],
];

/** Runs until nothing starts any more, or more runs were paid for than may be. Answers their number. */
async function runs(scene: Scene, end: End, most = MAX_RUNS + 3): Promise<number> {
  const { world, runner } = scene;
  for (let count = 0; ; count += 1) {
    let offer = runner.offers()[0];
    for (let waits = 0; offer === undefined && waits < 4; waits += 1) {
      await world.pass(600_000);
      await runner.hello();
      await world.tick();
      offer = runner.offers()[0];
    }
    if (offer === undefined || count >= most) return count;
    const lease = await runner.accept(offer);
    await runner.events(lease, turn);
    await end(scene, lease);
    await world.tick();
  }
}

describe('agent runs that nobody has asked for', () => {
  it.each(ENDS)('end where %s each time', async (_what, end) => {
    const scene = await sceneWithRunner(make, { variables: VARIABLES });
    const identifier = await scene.world.createIssue();
    await scene.world.tick();
    const count = await runs(scene, end);
    const issue = await scene.world.issue(identifier);
    expect(count).toBe(MAX_RUNS);
    expect(issue).toMatchObject({ status: 'blocked', reason_code: 'unattended_runs_used' });
    expect(issue.reason).toContain(`${MAX_RUNS} of ${MAX_RUNS} agent runs`);
  });

  it('end where each one ends for another reason', async () => {
    const scene = await sceneWithRunner(make, { variables: VARIABLES });
    await scene.world.createIssue();
    await scene.world.tick();
    let next = 0;
    const mixed: End = async (given, lease) => {
      await ENDS[[0, 3, 1, 6, 4][next % 5] ?? 0]?.[1](given, lease);
      next += 1;
    };
    expect(await runs(scene, mixed)).toBe(MAX_RUNS);
  });

  it.each([
    [
      'retries it',
      (scene: Scene, identifier: string) =>
        retryIssue(scene.world.deps, { identifier, caller: PERSON }),
    ],
    [
      'comments on it',
      (scene: Scene, identifier: string) =>
        scene.world.issue(identifier).then(({ tracker, id: issueId }) =>
          handleComment(scene.world.deps, {
            tracker,
            issueId,
            commentId: 'c-1',
            author: 'ada',
            body: 'Try it so.',
          }),
        ),
    ],
  ])('are counted anew once a person %s', async (_what, act) => {
    const scene = await sceneWithRunner(make, { variables: VARIABLES });
    const identifier = await scene.world.createIssue();
    await scene.world.tick();
    expect(await runs(scene, givenBack)).toBe(MAX_RUNS);
    await act(scene, identifier);
    expect(await runs(scene, givenBack)).toBe(MAX_RUNS);
  });

  it('go on once the setting is raised', async () => {
    const scene = await sceneWithRunner(make, { variables: VARIABLES });
    await scene.world.createIssue();
    await scene.world.tick();
    expect(await runs(scene, givenBack)).toBe(MAX_RUNS);
    const raised = { ...VARIABLES, SERVICE_CONFIG__agent__budget__unattendedRuns: '6' };
    await scene.world.restart(raised);
    await scene.runner.hello();
    expect(await runs(scene, givenBack)).toBe(2);
  });

  it('are not those that a provider refused before its model had answered', async () => {
    const scene = await sceneWithRunner(make, { variables: VARIABLES });
    const identifier = await scene.world.createIssue();
    await scene.world.tick();
    const outage = failed({
      failureKind: 'provider_unreachable',
      usage: { ...USAGE, total: 0, input: 0, output: 0 },
    });
    expect(await runs(scene, outage, 12)).toBe(12);
    expect(await scene.world.issue(identifier)).not.toMatchObject({ status: 'blocked' });
  });
});
