import type { Workspaces } from '../open-workspaces.ts';

/** Creates an empty repository without any user configuration. */
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
