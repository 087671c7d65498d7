import { clearStaleLocks } from '../git/clear-stale-locks.ts';
import type { Workspaces } from '../open-workspaces.ts';
import { WorkspaceError } from '../workspace.ts';

/**
 * Reads or moves a few of our own refs of a mirror, alone among all that do. A fetch may be under way:
 * git's own locks keep the two apart. Nothing that takes long belongs here.
 */
export function withRefs<T>(
  workspaces: Pick<Workspaces, 'lock'>,
  mirrorPath: string,
  work: () => Promise<T>,
): Promise<T> {
  return workspaces.lock(`refs:${mirrorPath}`, () => patiently(mirrorPath, work));
}

/** A git killed with its runner leaves lock files behind: those are cleared, then once more. */
export async function patiently<T>(mirrorPath: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const locked = error instanceof WorkspaceError && /\.lock': File exists/.test(error.message);
    if (!locked || !(await clearStaleLocks(mirrorPath))) throw error;
    return await work();
  }
}
