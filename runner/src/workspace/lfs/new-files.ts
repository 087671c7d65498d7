import { EMPTY_TREE, changesIn, compareTrees } from '../push-checks/compare-trees.ts';
import { type PushRange, newCommits } from '../push-checks/new-commits.ts';
import { treesOf } from '../push-checks/trees-of.ts';
import type { Workspaces } from '../open-workspaces.ts';
import { WorkspaceError } from '../workspace.ts';

const FILE = /^100/;

/** What a new commit makes of a file. */
export type NewFile = {
  blobId: string;
  /** What its parents have there. */
  formerIds: string[];
  /** Came from another path, as it was. */
  isMoved: boolean;
};

export type NewFiles = {
  /** By path every file that a new commit has and none of its parents. */
  files: Map<string, NewFile[]>;
  /** Commits of the remote that the new ones stand on. */
  bases: string[];
};

/** Of all new commits: an earlier one is pushed as the last one is. Throws WorkspaceError. */
export async function newFiles(workspaces: Workspaces, range: PushRange): Promise<NewFiles> {
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
  const files = new Map<string, NewFile[]>();
  for (const commit of commits) {
    const pairs = pairsOf(commit).map((pair) => changesIn(found, pair));
    const [first = new Map(), ...others] = pairs;
    const former = new Set([...first.values()].map(({ fromId }) => fromId));
    for (const [path, { mode, toId }] of first) {
      if (!FILE.test(mode) || others.some((changes) => !changes.has(path))) continue;
      const formerIds = pairs.flatMap((changes) => changes.get(path)?.fromId ?? []);
      const file = { blobId: toId, formerIds, isMoved: former.has(toId) };
      files.set(path, [...(files.get(path) ?? []), file]);
    }
  }
  const own = new Set(commits.map(({ id }) => id));
  return { files, bases: [...new Set(parents)].filter((id) => !own.has(id)) };
}
