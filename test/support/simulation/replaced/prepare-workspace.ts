import type { PreparedWorkspace } from '../../../../runner/src/workspace/workspace.ts';
import { WorkspaceError } from '../../../../runner/src/workspace/workspace.ts';
import { gitBehind, pause } from '../sim-git.ts';

/** Stands for the runner's clone of a repository: takes time and sometimes fails. */
export async function prepareWorkspace(
  workspaces: object,
  input: { issue: { identifier: string }; branch?: string },
): Promise<PreparedWorkspace> {
  const git = gitBehind(workspaces);
  await pause(git, 50, git.random.chance(0.1) ? 30_000 : 2_000);
  if (git.random.chance(0.01)) throw new WorkspaceError('git_failed', 'the clone failed');
  return {
    path: `/sim/${input.issue.identifier}`,
    objectsPath: '/sim/objects',
    mirrorPath: '/sim/mirror',
    branch: input.branch ?? `switchyard/${input.issue.identifier}`,
    baseBranch: 'main',
    baseCommit: 'a'.repeat(40),
    created: true,
  };
}
