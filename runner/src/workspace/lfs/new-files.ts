import { EMPTY_TREE, changesIn, compareTrees } from '../push-checks/compare-trees.ts';
import { type PushRange, newCommits } from '../push-checks/new-commits.ts';
import { treesOf } from '../push-checks/trees-of.ts';
import type { Workspaces } from '../open-workspaces.ts';
import { WorkspaceError } from '../workspace.ts';

const FILE = /^100/;

/** A file as a new commit changes it. */
export type NewFile = {
  blobId: string;
  /** Blobs at its path in the parents. */
  formerIds: string[];
  /** Whether it was moved unchanged from another path. */
  isMoved: boolean;
};

export type NewFiles = {
  /** Files that new commits have and none of their parents, by path. */
  files: Map<string, NewFile[]>;
  /** Commits of the remote on which the new ones are based. */
  bases: string[];
};

/** The files of all new commits, because earlier ones are pushed too. Throws WorkspaceError. */
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
