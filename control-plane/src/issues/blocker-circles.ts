/** An issue, and what blocks it and has not ended, by the same keys. */
export type BlockedIssue = { key: string; identifier: string; blockers: readonly string[] };

/** Issues that the words of one way name; of a longer one its end is left out. */
const MAX_NAMED = 10;
/** Steps that all searches for shortest ways may take together. */
const MAX_STEPS = 200_000;

/**
 * Issues that wait for themselves, by key: each with the way round through those that block it, such as
 * `A → B → A`. Who only waits for one on such a way is not among them. Beyond a limit of work an issue
 * gets the way of another one in its circle.
 */
export function blockerCircles(issues: readonly BlockedIssue[]): Map<string, string> {
  const byKey = new Map(issues.map((issue) => [issue.key, issue]));
  const found = new Map<string, string>();
  const left = { steps: MAX_STEPS };
  for (const keys of knots(byKey)) {
    let known: string | null = null;
    for (const key of keys) {
      const way: string[] | null =
        left.steps > 0 || known === null ? wayRound(key, byKey, { within: keys, left }) : null;
      if (way !== null) known = words(way.map((each) => byKey.get(each)?.identifier ?? each));
      if (known !== null) found.set(key, known);
    }
  }
  return found;
}

function words(names: readonly string[]): string {
  const shown =
    names.length > MAX_NAMED + 1 ? [...names.slice(0, MAX_NAMED), '…', ...names.slice(-1)] : names;
  return shown.join(' → ');
}

/** The shortest way from an issue back to it, both ends included. */
function wayRound(
  start: string,
  byKey: ReadonlyMap<string, BlockedIssue>,
  { within, left }: { within: ReadonlySet<string>; left: { steps: number } },
): string[] | null {
  const cameFrom = new Map<string, string>();
  const open = [start];
  for (const key of open) {
    for (const next of byKey.get(key)?.blockers ?? []) {
      left.steps -= 1;
      if (next === start) return [...wayTo(key, cameFrom), start];
      if (cameFrom.has(next) || !within.has(next)) continue;
      cameFrom.set(next, key);
      open.push(next);
    }
  }
  return null;
}

function wayTo(key: string, cameFrom: ReadonlyMap<string, string>): string[] {
  const way = [key];
  for (let at = cameFrom.get(key); at !== undefined; at = cameFrom.get(at)) way.push(at);
  return way.toReversed();
}

type Visit = { key: string; index: number; low: number; next: number };

/** Sets of issues of which each waits for each other one, or for itself (Tarjan, without recursion). */
function knots(byKey: ReadonlyMap<string, BlockedIssue>): Set<string>[] {
  const found: Set<string>[] = [];
  const indexes = new Map<string, number>();
  const onStack = new Set<string>();
  const stack: string[] = [];
  const enter = (key: string): Visit => {
    const index = indexes.size;
    indexes.set(key, index);
    stack.push(key);
    onStack.add(key);
    return { key, index, low: index, next: 0 };
  };
  for (const root of byKey.keys()) {
    const visits = indexes.has(root) ? [] : [enter(root)];
    for (let visit = visits.at(-1); visit !== undefined; visit = visits.at(-1)) {
      const blocker = byKey.get(visit.key)?.blockers[visit.next];
      visit.next += 1;
      if (blocker !== undefined) {
        if (!byKey.has(blocker)) continue;
        if (!indexes.has(blocker)) visits.push(enter(blocker));
        else if (onStack.has(blocker)) {
          visit.low = Math.min(visit.low, indexes.get(blocker) ?? visit.low);
        }
        continue;
      }
      visits.pop();
      const above = visits.at(-1);
      if (above !== undefined) above.low = Math.min(above.low, visit.low);
      if (visit.low !== visit.index) continue;
      const knot = new Set(stack.splice(stack.lastIndexOf(visit.key)));
      for (const key of knot) onStack.delete(key);
      if (knot.size > 1 || byKey.get(visit.key)?.blockers.includes(visit.key)) found.push(knot);
    }
  }
  return found;
}
