import { join } from 'node:path';
import { leaseKey } from '../../connection/lease-ref.ts';
import type { AttemptContext, AttemptDeps } from '../attempt-deps.ts';
import type { Companion } from '../companions/companion.ts';

/** Folder in which the container engine keeps the state of an attempt's container. */
export function stateFolderOf(
  { settings }: Pick<AttemptDeps, 'settings'>,
  ref: { attemptId: string; epoch: number },
): string {
  return join(settings.dataDir, 'engines', leaseKey(ref));
}

/** Removes the state of the attempt's container. */
export function removeEngineState({ deps, ref }: Pick<AttemptContext, 'deps' | 'ref'>): Companion {
  return {
    name: "the state of the engine's container",
    attemptEnded: () => deps.disk.deleteTree(stateFolderOf(deps, ref)),
  };
}
