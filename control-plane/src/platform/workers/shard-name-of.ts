import { MAX_RUNNER_POOLS } from '@switchyard/shared/protocol/limits';
import type { RunnerPoolCalls } from './coordinator-calls.ts';
import type { WorkerEnv } from './worker-env.ts';

/** Number of objects that share the runners: `SERVICE_RUNNER_POOLS`, 1 when left out. */
function poolCount(env: WorkerEnv): number {
  const count = Number(env.SERVICE_RUNNER_POOLS ?? '1');
  return Number.isInteger(count) && count >= 1 && count <= MAX_RUNNER_POOLS ? count : 1;
}

/**
 * Name of the object with a runner's socket, derived from its id alone so that every part finds it.
 */
export function shardNameOf(env: WorkerEnv, runnerId: string): string {
  let hash = 0;
  for (const character of runnerId) hash = (hash * 31 + (character.codePointAt(0) ?? 0)) >>> 0;
  return `pool-${hash % poolCount(env)}`;
}

export function shardByName(env: WorkerEnv, name: string): DurableObjectStub<RunnerPoolCalls> {
  return env.RUNNER_POOL.get(env.RUNNER_POOL.idFromName(name));
}
