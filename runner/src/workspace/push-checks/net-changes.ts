import { assertTreesFit } from '../objects/assert-trees-fit.ts';
import type { Workspaces } from '../open-workspaces.ts';
import { type RemoteAncestors, remoteAncestorsOf } from './remote-ancestors.ts';
import type { TreeChanges, TreePair } from './compare-trees.ts';
import { EMPTY_TREE, changesIn, compareTrees } from './compare-trees.ts';
import type { NewCommit, PushRange } from './new-commits.ts';
import { treesOf } from './trees-of.ts';

export type NetChanges = {
  /** Files that some new commit has in a state that the remote has nowhere at that path. */
  changed: Set<string>;
  /** `changed`, and files that a merge reverted to an older state. */
  unlikeMain: Set<string>;
};

/**
 * Differences of each new commit from its base on the remote. Commits are compared as a whole, not
 * with their parents: a merge that reverts a file to an ancestor's state differs from no parent's
 * state and still changes it. Null when there is too much to compare. Throws WorkspaceError.
 */
export async function netChanges(
  workspaces: Workspaces,
  range: PushRange,
  commits: readonly NewCommit[],
): Promise<NetChanges | null> {
  const anchors = await remoteAncestorsOf(workspaces, range, commits);
  if (anchors === null) return null;
  const known = new Set([...anchors.values()].flatMap(commitsOf));
  const { mirrorPath } = range;
  await assertTreesFit(workspaces, {
    mirrorPath,
    roots: [...known, ...commits.map(({ id }) => id)],
  });
  const trees = await treesOf(workspaces, range, [...known]);
  const plans = commits.map((commit) =>
    planOf(commit.tree, anchors.get(commit.id) ?? { main: [range.baseCommit], others: [] }, trees),
  );
  const pairs = plans.flatMap(({ main, others }) => [
    ...main,
    ...others.flatMap(({ pair, forks }) => [pair, ...forks]),
  ]);
  const found = await compareTrees(workspaces, range, pairs);
  if (found === null) return null;
  const net: NetChanges = { changed: new Set(), unlikeMain: new Set() };
  for (const plan of plans) judge(plan, found, net);
  return net;
}

function commitsOf({ main, others }: RemoteAncestors): string[] {
  return [...main, ...others.flatMap(({ commit, forks }) => [commit, ...forks])];
}

type Plan = { main: TreePair[]; others: { pair: TreePair; forks: TreePair[] }[] };

function planOf(tree: string, anchors: RemoteAncestors, trees: ReadonlyMap<string, string>): Plan {
  const treeOf = (commit: string): string => trees.get(commit) ?? EMPTY_TREE;
  return {
    main: anchors.main.map((commit) => [treeOf(commit), tree] as const),
    others: anchors.others.map(({ commit, forks }) => ({
      pair: [treeOf(commit), tree] as const,
      // A branch unrelated to the base has changed everything it contains.
      forks: (forks.length === 0 ? [EMPTY_TREE] : forks.map(treeOf)).map(
        (fork) => [fork, treeOf(commit)] as const,
      ),
    })),
  };
}

/** A merged branch explains a file only if it changed the file itself after its fork. */
function judge({ main, others }: Plan, found: TreeChanges, net: NetChanges): void {
  const [first = new Map(), ...more] = main.map((pair) => changesIn(found, pair));
  for (const path of first.keys()) {
    if (!more.every((changes) => changes.has(path))) continue;
    const alike = others.filter(({ pair }) => !changesIn(found, pair).has(path));
    if (alike.length === 0) net.changed.add(path);
    const explained = alike.some(({ forks }) =>
      forks.every((fork) => changesIn(found, fork).has(path)),
    );
    if (!explained) net.unlikeMain.add(path);
  }
}
