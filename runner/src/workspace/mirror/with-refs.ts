import { clearStaleLocks } from '../git/clear-stale-locks.ts';
import type { Workspaces } from '../open-workspaces.ts';
import { WorkspaceError } from '../workspace.ts';

/**
 * Reads or moves a few of the runner's refs of a mirror, exclusively among such users. A fetch may
 * run meanwhile, since git's own locks separate them. Use it for short work only.
 */
export function withRefs<T>(
  workspaces: Pick<Workspaces, 'lock'>,
  mirrorPath: string,
  work: () => Promise<T>,
): Promise<T> {
  return workspaces.lock(`refs:${mirrorPath}`, () => patiently(mirrorPath, work));
}

/** Retries once after removing the lock files of a git process that was killed with its runner. */
export async function patiently<T>(mirrorPath: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const locked = error instanceof WorkspaceError && /\.lock': File exists/.test(error.message);
    if (!locked || !(await clearStaleLocks(mirrorPath))) throw error;
    return await work();
  }
}
