import { gitBehind, pause } from '../sim-git.ts';

type HiddenRef = { repositoryUrl: string; ref: string };

/** Stands for the hidden ref on the remote that keeps work in progress. */
export async function askHiddenRef(workspaces: object, at: HiddenRef): Promise<string | null> {
  const git = gitBehind(workspaces);
  await pause(git, 10, 400);
  return git.remote.hidden.get(at.ref) ?? null;
}

export async function fetchHiddenRef(workspaces: object, _at: HiddenRef): Promise<void> {
  await pause(gitBehind(workspaces), 10, 400);
}

/** Refused when somebody else has moved it meanwhile. */
export async function pushHiddenRef(
  workspaces: object,
  at: HiddenRef & { commitSha: string; expectedSha: string | null },
): Promise<void> {
  const git = gitBehind(workspaces);
  await pause(git, 10, 600);
  if ((git.remote.hidden.get(at.ref) ?? null) !== at.expectedSha) throw new Error('the hidden ref has moved');
  git.remote.hidden.set(at.ref, at.commitSha);
}
