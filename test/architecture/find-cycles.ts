import { posix } from 'node:path';
import type { Edge } from './source-tree.ts';

/**
 * Cycles at every level of the tree. On each level a subfolder is one node with all that is in it,
 * and a file that stands directly there is a node of its own; so `src/app.ts` may import
 * `src/issues/` while that imports `src/ports.ts`, and two folders may never import each other.
 * Between two files of one folder only imports that exist at run time count.
 *
 * @returns one path of nodes per knot, the first repeated at the end
 */
export function findCycles(edges: readonly Edge[]): string[][] {
  const levels = new Map<string, Map<string, Set<string>>>();
  for (const edge of edges) {
    const level = commonFolder(edge.from, edge.to);
    const from = childOf(level, edge.from);
    const to = childOf(level, edge.to);
    const bothFiles = from === edge.from && to === edge.to;
    if (from === to || (bothFiles && edge.typeOnly)) continue;
    const graph = getOrMake(levels, level, () => new Map<string, Set<string>>());
    getOrMake(graph, from, () => new Set<string>()).add(to);
  }
  return [...levels.values()].flatMap(cyclesOf);
}

function commonFolder(a: string, b: string): string {
  const left = posix.dirname(a).split('/');
  const right = posix.dirname(b).split('/');
  const firstDifferent = left.findIndex((part, index) => part !== right[index]);
  return left.slice(0, firstDifferent < 0 ? left.length : firstDifferent).join('/');
}

function childOf(folder: string, path: string): string {
  const depth = folder === '' ? 1 : folder.split('/').length + 1;
  return path.split('/').slice(0, depth).join('/');
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

function getOrMake<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const value = map.get(key) ?? make();
  map.set(key, value);
  return value;
}
