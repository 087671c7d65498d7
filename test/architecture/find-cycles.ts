import { posix } from 'node:path';
import type { Edge } from './source-tree.ts';

type Graph = Map<string, Set<string>>;

/**
 * Cycles between files, and between folders; type imports count in both. A folder is one node with
 * the files that stand directly in it; in a folder that has subfolders, each of these files is a
 * node of its own, so that `src/app.ts` may import `src/issues/` while that imports `src/ports.ts`.
 *
 * @returns one path of nodes per knot, the first repeated at the end
 */
export function findCycles(edges: readonly Edge[]): string[][] {
  const parents = foldersWithSubfolders(edges);
  const folderOf = (path: string) => {
    const folder = posix.dirname(path);
    return parents.has(folder) ? path : folder;
  };
  const files: Graph = new Map();
  const folders: Graph = new Map();
  for (const { from, to } of edges) {
    add(files, from, to);
    add(folders, folderOf(from), folderOf(to));
  }
  const found = [...cyclesOf(files), ...cyclesOf(folders)];
  return [...new Map(found.map((nodes) => [nodes.join(), nodes])).values()];
}

function foldersWithSubfolders(edges: readonly Edge[]): Set<string> {
  const folders = new Set<string>();
  for (const path of edges.flatMap(({ from, to }) => [from, to])) {
    let folder = posix.dirname(posix.dirname(path));
    for (; folder !== '.' && folder !== '/'; folder = posix.dirname(folder)) folders.add(folder);
  }
  return folders;
}

function add(graph: Graph, from: string, to: string): void {
  if (from === to) return;
  const targets = graph.get(from) ?? new Set<string>();
  graph.set(from, targets.add(to));
}

/** Depth-first search; every back edge closes one cycle. */
function cyclesOf(graph: ReadonlyMap<string, ReadonlySet<string>>): string[][] {
  const cycles: string[][] = [];
  const finished = new Set<string>();
  const trail: string[] = [];
  const visit = (node: string) => {
    if (finished.has(node)) return;
    const start = trail.indexOf(node);
    if (start >= 0) {
      cycles.push(fromSmallest(trail.slice(start)));
      return;
    }
    trail.push(node);
    for (const next of graph.get(node) ?? []) visit(next);
    trail.pop();
    finished.add(node);
  };
  for (const node of graph.keys()) visit(node);
  return cycles;
}

/** The same cycle reads the same wherever the search began. */
function fromSmallest(nodes: string[]): string[] {
  const start = nodes.indexOf(nodes.toSorted()[0] ?? '');
  const turned = [...nodes.slice(start), ...nodes.slice(0, start)];
  return [...turned, ...turned.slice(0, 1)];
}
