import { gitBehind, pause } from '../sim-git.ts';

/** Stands for a fetch into the mirror. */
export async function updateMirror(
  workspaces: object,
  _source?: unknown,
  _signal?: AbortSignal,
): Promise<{ path: string }> {
  await pause(gitBehind(workspaces), 20, 800);
  return { path: '/sim/mirror' };
}

/** Where a branch stands in the mirror. */
export async function mirrorCommit(
  workspaces: object,
  _gitDir: string,
  ref: string,
): Promise<string | null> {
  const { remote } = gitBehind(workspaces);
  const branch = ref.replace('refs/heads/', '');
  for (const [key, sha] of remote.heads) if (key.endsWith(` ${branch}`)) return sha;
  return null;
}
