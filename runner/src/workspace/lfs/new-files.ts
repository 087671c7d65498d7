import { EMPTY_TREE, changesIn, compareTrees } from '../push-checks/compare-trees.ts';
import { type PushRange, newCommits } from '../push-checks/new-commits.ts';
import { treesOf } from '../push-checks/trees-of.ts';
import type { Workspaces } from '../open-workspaces.ts';
import { WorkspaceError } from '../workspace.ts';

const FILE = /^100/;

/**
 * Blobs by path of every file that a new commit has and none of its parents: an earlier commit is
 * pushed as the last one is. Throws WorkspaceError.
 */
export async function newFiles(
  workspaces: Workspaces,
  range: PushRange,
): Promise<Map<string, Set<string>>> {
  const commits = (await newCommits(workspaces, range))?.filter(({ isKnown }) => !isKnown);
  const parents = commits?.flatMap((commit) => commit.parents) ?? [];
  const trees = await treesOf(workspaces, range, [...new Set(parents)]);
  const pairsOf = (commit: { tree: string; parents: string[] }) =>
    (commit.parents.length === 0 ? [EMPTY_TREE] : commit.parents).map(
      (parent) => [trees.get(parent) ?? EMPTY_TREE, commit.tree] as const,
    );
  const found = commits && (await compareTrees(workspaces, range, commits.flatMap(pairsOf)));
  if (commits === undefined || found === undefined || found === null)
    throw new WorkspaceError('limit_exceeded', 'the branch changes too much to look for LFS');
  const files = new Map<string, Set<string>>();
  for (const commit of commits) {
    const [first = new Map(), ...others] = pairsOf(commit).map((pair) => changesIn(found, pair));
    for (const [path, { mode, toId }] of first) {
      if (!FILE.test(mode) || others.some((changes) => !changes.has(path))) continue;
      files.set(path, (files.get(path) ?? new Set()).add(toId));
    }
  }
  return files;
}
