import { WorkspaceError } from '../../../../runner/src/workspace/workspace.ts';
import { gitBehind, pause } from '../sim-git.ts';

/** Stands for `git push --force-with-lease`: refused when the branch has moved since. */
export async function pushBranch(
  workspaces: object,
  input: { repositoryUrl: string; branch: string; commitSha: string; expectedSha: string | null },
): Promise<void> {
  const git = gitBehind(workspaces);
  await pause(git, 20, 800);
  const { repositoryUrl, branch, commitSha } = input;
  const head = git.remote.heads.get(`${repositoryUrl} ${branch}`) ?? null;
  if (head !== input.expectedSha) throw new WorkspaceError('push_rejected', 'the branch has moved');
  git.remote.push({ atMs: git.worldMs(), repositoryUrl, branch, commitSha });
}
