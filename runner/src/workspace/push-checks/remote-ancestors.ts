import type { Workspaces } from '../open-workspaces.ts';
import { CHECK_TIMEOUT_MS, type NewCommit, type PushRange } from './new-commits.ts';

/** Commits of the remote on which a new commit is based, none of them contained in another. */
export type RemoteAncestors = {
  /** The base, or commits of the remote that contain it. */
  main: string[];
  /**
   * Other branches that were merged, each with its fork points from `main`; `forks` is empty when
   * unrelated.
   */
  others: { commit: string; forks: string[] }[];
};

/** Limit on different sets of merged branches, more than people create. */
const MAX_SETS = 128;
const MAX_PER_SET = 64;

/**
 * For each new commit its base on the remote in the newest merged state. Null when more is merged
 * than can be examined. Throws WorkspaceError.
 */
export async function remoteAncestorsOf(
  workspaces: Workspaces,
  range: PushRange,
  commits: readonly NewCommit[],
): Promise<Map<string, RemoteAncestors> | null> {
  const { baseCommit } = range;
  const found = new Map<string, RemoteAncestors>();
  const bySet = new Map<string, RemoteAncestors>([
    [baseCommit, { main: [baseCommit], others: [] }],
  ]);
  for (const { id, parents, isKnown } of commits) {
    // A commit of the remote is its own base.
    const below = (isKnown ? [id] : parents).flatMap((parent) => {
      const known = found.get(parent);
      if (known === undefined) return [parent];
      return [...known.main, ...known.others.map(({ commit }) => commit)];
    });
    const set = [...new Set([baseCommit, ...below])].toSorted();
    const key = set.join(' ');
    const anchors = bySet.get(key) ?? (await reduce(workspaces, range, set));
    if (anchors === null || bySet.size > MAX_SETS) return null;
    bySet.set(key, anchors);
    found.set(id, anchors);
  }
  return found;
}

async function reduce(
  workspaces: Workspaces,
  { mirrorPath, baseCommit, signal }: PushRange,
  set: readonly string[],
): Promise<RemoteAncestors | null> {
  if (set.length > MAX_PER_SET) return null;
  const mergeBase = async (...args: string[]): Promise<{ ids: string[]; yes: boolean }> => {
    const { stdout, exitCode } = await workspaces.git.run({
      gitDir: mirrorPath,
      args: ['merge-base', ...args],
      okExitCodes: [0, 1],
      timeoutMs: CHECK_TIMEOUT_MS,
      ...(signal === undefined ? {} : { signal }),
    });
    return { ids: stdout.split('\n').filter((id) => id !== ''), yes: exitCode === 0 };
  };
  const { ids } = await mergeBase('--independent', ...set);
  const main: string[] = [];
  for (const id of ids)
    if (id === baseCommit || (await mergeBase('--is-ancestor', baseCommit, id)).yes) main.push(id);
  const others: RemoteAncestors['others'] = [];
  for (const commit of ids.filter((id) => !main.includes(id))) {
    const forks = await Promise.all(main.map((one) => mergeBase('--all', commit, one)));
    others.push({ commit, forks: [...new Set(forks.flatMap((fork) => fork.ids))] });
  }
  return { main, others };
}
