import type { Workspaces } from '../open-workspaces.ts';

const OBJECT_ID = /^[0-9a-f]{40,64}$/;

/** How a commit came into a branch: the branch's head before and after that. */
export type FoundMerge = { baseCommit: string; mergeCommit: string };

/**
 * The commit of a branch's own history (first parents) that brought `commit` in; the commit itself
 * when the branch was only moved forward to it. Null when `head` does not contain it, also when the
 * mirror does not know it. Throws `git_failed`.
 */
export async function findMerge(
  { git }: Pick<Workspaces, 'git'>,
  at: { mirrorPath: string; head: string; commit: string; signal?: AbortSignal },
): Promise<FoundMerge | null> {
  const { mirrorPath: gitDir, head, commit, signal } = at;
  if (!OBJECT_ID.test(commit)) return null;
  const run = (args: readonly string[], okExitCodes: readonly number[] = [0]) =>
    git.run({ gitDir, args, okExitCodes, ...(signal === undefined ? {} : { signal }) });
  const firstParent = async (of: string): Promise<string | null> => {
    const asked = ['rev-parse', '--verify', '--quiet', '--end-of-options', `${of}^1^{commit}`];
    const { stdout, exitCode } = await run(asked, [0, 1, 128]);
    return exitCode === 0 ? stdout.trim() : null;
  };
  const contained = await run(['merge-base', '--is-ancestor', commit, head], [0, 1, 128]);
  if (contained.exitCode !== 0) return null;
  const list = async (which: string): Promise<string[]> =>
    (await run(['rev-list', which, `${commit}..${head}`])).stdout.split('\n').filter(Boolean);
  // Asked for together, git answers wrongly where the commit came over several merges.
  const later = new Set(await list('--ancestry-path'));
  const oldest = (await list('--first-parent')).findLast((own) => later.has(own));
  const before = oldest === undefined ? commit : await firstParent(oldest);
  const mergeCommit = oldest === undefined || before === commit ? commit : oldest;
  // The first commit of a history has nothing before it.
  return { mergeCommit, baseCommit: (await firstParent(mergeCommit)) ?? mergeCommit };
}
