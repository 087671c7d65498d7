import type { CoreWorld } from '../../support/core/core-world.ts';
import {
  type Lease,
  type ScriptedRunner,
  scriptRunner,
} from '../../support/core/scripted-runner.ts';
import type { MakeWorld } from '../describe-runner-protocol.ts';

export type Scene = { world: CoreWorld; runner: ScriptedRunner };
export type RunningScene = Scene & { identifier: string; lease: Lease };

/** A world with one connected runner. */
export async function sceneWithRunner(
  make: MakeWorld,
  given: { variables?: Record<string, string>; slots?: number } = {},
): Promise<Scene> {
  const world = await make(given.variables);
  const runner = await addRunner(world, given.slots);
  return { world, runner };
}

/** A world in which one attempt runs under a lease, and the coordinator has settled. */
export async function sceneWithLease(
  make: MakeWorld,
  variables: Record<string, string> = {},
): Promise<RunningScene> {
  const { world, runner } = await sceneWithRunner(make, { variables });
  const identifier = await world.createIssue();
  await world.tick();
  const lease = await runner.accept(runner.offer());
  await world.tick();
  return { world, runner, identifier, lease };
}

export async function addRunner(
  world: CoreWorld,
  slots = 1,
  labels: string[] = [],
): Promise<ScriptedRunner> {
  const runner = scriptRunner(world, await world.join(labels), slots);
  await runner.hello({ labels });
  return runner;
}
