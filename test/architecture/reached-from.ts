import type { Edge } from './source-tree.ts';

/** These files and all that they import, directly and through others. */
export function reachedFrom(starts: readonly string[], edges: readonly Edge[]): Set<string> {
  const next = Map.groupBy(edges, ({ from }) => from);
  const reached = new Set<string>();
  const visit = (path: string) => {
    if (reached.has(path)) return;
    reached.add(path);
    for (const { to } of next.get(path) ?? []) visit(to);
  };
  for (const path of starts) visit(path);
  return reached;
}
