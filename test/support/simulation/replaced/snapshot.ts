import type { PreparedWorkspace, Snapshot } from '../../../../runner/src/workspace/workspace.ts';
import { gitBehind, pause } from '../sim-git.ts';

export const NO_DIFFERENCE = {
  commitSha: null,
  diff: '',
  diffTruncated: false,
  diffStat: { files: 0, insertions: 0, deletions: 0 },
};

/** Stands for the commit of what an agent left. */
export async function takeSnapshot(
  workspaces: object,
  _run: unknown,
  _input: { workspace: PreparedWorkspace; attemptId: string },
): Promise<Snapshot> {
  const git = gitBehind(workspaces);
  await pause(git, 20, 1_500);
  git.commits.count += 1;
  const commitSha = git.commits.count.toString(16).padStart(40, 'c');
  return {
    commitSha,
    diff: '+ line',
    diffTruncated: false,
    diffStat: { files: 1, insertions: 1, deletions: 0 },
    ...{ problems: [], aside: [], unclear: false },
  };
}
