import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { CallError } from '../connection/calls.ts';
import { removeWorkspace } from '../workspace/remove-workspace.ts';
import type { CallDeps } from './answer-call.ts';

/** Removes a workspace unless an attempt uses it (`in_use`). False: there was none. */
export async function removeIdleWorkspace(
  deps: CallDeps,
  key: string,
): Promise<{ removed: boolean }> {
  if (deps.workspacesInUse().has(key)) {
    throw new CallError('in_use', `workspace ${key} is used by a running attempt`);
  }
  const existed = await exists(join(deps.workspaces.paths.workspaces, key));
  await removeWorkspace(deps.workspaces, key);
  return { removed: existed };
}

async function exists(path: string): Promise<boolean> {
  try {
    await lstat(path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw error;
  }
}
