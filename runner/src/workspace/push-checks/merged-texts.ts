import type { Workspaces } from '../open-workspaces.ts';
import type { AddedText } from './added-lines.ts';
import { EMPTY_TREE, SUBMODULE, changesIn, compareTrees } from './compare-trees.ts';
import type { NewCommit, PushRange } from './new-commits.ts';
import { readObjects } from './read-objects.ts';
import { treesOf } from './trees-of.ts';

const GONE = /^0+$/;

type MergedFile = { path: string; id: string; parentIds: string[] };

/**
 * Lines of merges that none of their parents has, in any file: git's combined diff shows nothing of
 * files it considers binary. Null when there are more than `maxBytes`. Throws WorkspaceError.
 */
export async function mergedTexts(
  workspaces: Workspaces,
  range: PushRange,
  { commits, maxBytes }: { commits: readonly NewCommit[]; maxBytes: number },
): Promise<AddedText[] | null> {
  const merges = commits.filter(({ parents, isKnown }) => parents.length > 1 && !isKnown);
  if (merges.length === 0) return [];
  const files = await mergedFiles(workspaces, range, merges);
  if (files === null) return null;
  const ids = new Set(files.flatMap(({ id, parentIds }) => [id, ...parentIds]));
  const texts = await readObjects(workspaces, range, { ids: [...ids], maxBytes });
  if (texts === null) return null;
  return files.map(({ path, id, parentIds }) => {
    const known = new Set(parentIds.flatMap((parent) => texts.get(parent)?.split('\n') ?? []));
    const added: AddedText = { path, lines: [], numbers: [] };
    for (const [index, line] of (texts.get(id) ?? '').split('\n').entries()) {
      if (known.has(line)) continue;
      added.lines.push(line);
      added.numbers.push(index + 1);
    }
    return added;
  });
}

async function mergedFiles(
  workspaces: Workspaces,
  range: PushRange,
  merges: readonly NewCommit[],
): Promise<MergedFile[] | null> {
  const parents = [...new Set(merges.flatMap((merge) => merge.parents))];
  const trees = await treesOf(workspaces, range, parents);
  const pairsOf = (merge: NewCommit) =>
    merge.parents.map((parent) => [trees.get(parent) ?? EMPTY_TREE, merge.tree] as const);
  const found = await compareTrees(workspaces, range, merges.flatMap(pairsOf));
  if (found === null) return null;
  return merges.flatMap((merge) => {
    const [first = new Map(), ...more] = pairsOf(merge).map((pair) => changesIn(found, pair));
    return [...first].flatMap(([path, { mode, fromId, toId }]) => {
      const others = more.map((changes) => changes.get(path));
      if (GONE.test(toId) || mode === SUBMODULE || others.includes(undefined)) return [];
      const before = [fromId, ...others.map((change) => change?.fromId ?? '')];
      return [{ path, id: toId, parentIds: before.filter((id) => !GONE.test(id) && id !== '') }];
    });
  });
}
