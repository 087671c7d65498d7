import type { Workspaces } from '../open-workspaces.ts';

/** An empty repository without anything of a user. */
export async function initClone(
  workspaces: Workspaces,
  path: string,
  signal?: AbortSignal,
): Promise<void> {
  await workspaces.git.run({
    args: ['init', '--quiet', '--template=', '--initial-branch=main', '--', path],
    ...(signal === undefined ? {} : { signal }),
  });
}
