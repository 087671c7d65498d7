import { pathAtLevel, type Edge } from './source-tree.ts';

/** What imports what, with one import between files that shows it. */
type Graph = ReadonlyMap<string, ReadonlyMap<string, Edge>>;

/** A way round: the first of the nodes is repeated at the end; an import for each step. */
export type Cycle = { nodes: string[]; imports: Edge[] };

/**
 * Cycles on every level of the tree, type imports included. On level n each path counts by its first n
 * names: a folder stands there for everything below it, and a file that stands higher for itself. So
 * `src/app.ts` may import `src/issues/` while that imports `src/errors.ts`, but two folders may never
 * import each other, whichever of their files do so.
 */
export function findCycles(edges: readonly Edge[]): Cycle[] {
  const depths = edges.flatMap(({ from, to }) => [from, to]).map((path) => path.split('/').length);
  const levels = Math.max(0, ...depths);
  const found = Array.from({ length: levels }, (_, at) => cyclesOf(graphAt(edges, at + 1))).flat();
  return [...new Map(found.map((cycle) => [cycle.nodes.join(), cycle])).values()];
}

function graphAt(edges: readonly Edge[], level: number): Graph {
  const graph = new Map<string, Map<string, Edge>>();
  for (const edge of edges) {
    const [from, to] = [pathAtLevel(edge.from, level), pathAtLevel(edge.to, level)];
    if (from === to) continue;
    const targets = graph.get(from) ?? new Map<string, Edge>();
    if (!targets.has(to)) targets.set(to, edge);
    graph.set(from, targets);
  }
  return graph;
}

/** Depth-first search; every back edge closes one cycle. */
function cyclesOf(graph: Graph): Cycle[] {
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
    for (const next of graph.get(node)?.keys() ?? []) visit(next);
    trail.pop();
    finished.add(node);
  };
  for (const node of graph.keys()) visit(node);
  return cycles.map((nodes) => ({
    nodes,
    imports: nodes.slice(1).flatMap((to, at) => graph.get(nodes[at] ?? '')?.get(to) ?? []),
  }));
}

/** The same cycle reads the same wherever the search began. */
function fromSmallest(nodes: string[]): string[] {
  const start = nodes.indexOf(nodes.toSorted()[0] ?? '');
  const turned = [...nodes.slice(start), ...nodes.slice(0, start)];
  return [...turned, ...turned.slice(0, 1)];
}
