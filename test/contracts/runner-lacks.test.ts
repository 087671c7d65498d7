import { describe, expect, it } from 'vitest';
import { retryIssue } from '../../control-plane/src/issues/actions/retry-issue.ts';
import { PERSON } from '../support/core/core-world.ts';
import { useCoreWorlds } from '../support/core/use-core-worlds.ts';
import type { ScriptedRunner } from '../support/core/scripted-runner.ts';
import { addRunner } from './runner-protocol/scene.ts';

const make = useCoreWorlds();
const lacks = {
  outcome: 'failed',
  failureKind: 'workspace_error',
  reasonCode: 'signing_key_missing',
  message: 'this runner has no key',
} as const;

/** Whichever of the runners has the one offer says that it lacks what only a person can give it. */
async function refuse(runners: readonly ScriptedRunner[]): Promise<ScriptedRunner> {
  for (const runner of runners) {
    const [offer] = runner.offers();
    if (offer === undefined) continue;
    await runner.finish(await runner.accept(offer), lacks);
    return runner;
  }
  throw new Error('nobody has an offer');
}

describe('an issue that a runner cannot begin for want of something of its own', () => {
  it('goes to another runner, and waits for a person when every one lacks it', async () => {
    const world = await make();
    const runners = [await addRunner(world, 3), await addRunner(world)];
    const identifier = await world.createIssue();
    await world.tick();
    const first = await refuse(runners);
    expect(first).toBe(runners[0]);
    expect(await world.issue(identifier)).toMatchObject({
      status: 'retrying',
      reason_code: 'signing_key_missing',
    });
    await world.pass(15_000);
    expect(await refuse(runners)).toBe(runners[1]);
    expect(await world.issue(identifier)).toMatchObject({
      status: 'blocked',
      reason_code: 'signing_key_missing',
      next_retry_at_ms: null,
    });
    // A person who has mended the one that it was last at has it tried there first.
    await retryIssue(world.deps, { identifier, caller: PERSON });
    await world.tick();
    expect(await refuse(runners)).toBe(runners[1]);
    expect(await world.issue(identifier)).toMatchObject({ status: 'retrying' });
    await world.pass(15_000);
    expect(await refuse(runners)).toBe(runners[0]);
    expect(await world.issue(identifier)).toMatchObject({ status: 'blocked' });
  });

  it('waits for a person at once where the others may not have it', async () => {
    const world = await make();
    const runner = await addRunner(world, 1, ['gpu']);
    await addRunner(world);
    const identifier = await world.createIssue({ labels: ['runner:gpu'] });
    await world.tick();
    await refuse([runner]);
    expect(await world.issue(identifier)).toMatchObject({ status: 'blocked' });
  });
});
