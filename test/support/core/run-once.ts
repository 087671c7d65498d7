import { createRun } from '../../../control-plane/src/coordinator/create-run.ts';
import type { Deps } from '../../../control-plane/src/deps.ts';

/** One complete run of the coordinator. */
export async function runOnce(deps: Deps): Promise<void> {
  const { follow } = await createRun(deps).decide();
  await follow();
}
