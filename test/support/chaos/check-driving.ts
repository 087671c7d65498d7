import type { Driven } from './chaos-work.ts';

/**
 * Overlaps in the model provider's own log: once a later lease of an issue has called, an earlier
 * one must be silent. One line in words for each.
 */
export function interleavedDriving(driven: readonly Driven[]): string[] {
  const byWork = Map.groupBy(driven, ({ work }) => work);
  return [...byWork].flatMap(([work, calls]) => interleaved(work, calls));
}

function interleaved(work: number, calls: readonly Driven[]): string[] {
  const problems: string[] = [];
  const over = new Set<string>();
  let current: string | null = null;
  for (const { lease } of calls) {
    if (lease === null || lease === current) continue;
    if (over.has(lease)) problems.push(`issue ${work}: ${lease} called again after ${current}`);
    if (current !== null) over.add(current);
    current = lease;
  }
  return problems;
}
