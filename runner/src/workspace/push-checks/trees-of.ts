import type { Workspaces } from '../open-workspaces.ts';
import { WorkspaceError } from '../workspace.ts';
import { CHECK_TIMEOUT_MS, type PushRange } from './new-commits.ts';

/** The tree of each commit. Throws `git_failed` when one is missing. */
export async function treesOf(
  workspaces: Workspaces,
  { mirrorPath, signal }: Pick<PushRange, 'mirrorPath' | 'signal'>,
  commits: readonly string[],
): Promise<Map<string, string>> {
  if (commits.length === 0) return new Map();
  const { stdout } = await workspaces.git.run({
    gitDir: mirrorPath,
    args: ['cat-file', '--batch-check=%(objectname) %(objecttype)'],
    input: commits.map((commit) => `${commit}^{tree}\n`).join(''),
    timeoutMs: CHECK_TIMEOUT_MS,
    ...(signal === undefined ? {} : { signal }),
  });
  const lines = stdout.split('\n');
  return new Map(
    commits.map((commit, index) => {
      const [tree = '', type] = (lines[index] ?? '').split(' ');
      if (type !== 'tree') throw new WorkspaceError('git_failed', `commit ${commit} has no tree`);
      return [commit, tree];
    }),
  );
}
