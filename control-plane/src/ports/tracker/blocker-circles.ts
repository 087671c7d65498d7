/** An issue and the unfinished issues that block it; `blockers` are keys of such issues. */
export type BlockedIssue = { key: string; identifier: string; blockers: readonly string[] };

/** Issues named in the text of one cycle; a longer cycle is truncated. */
const MAX_NAMED = 10;
/** Limit on the steps of all searches for a shortest cycle together. */
const MAX_STEPS = 200_000;

/**
 * Finds issues that block themselves through others. The result maps the key of each such issue to
 * its cycle, such as `A → B → A`. An issue that only waits for one of them is not included. Beyond
 * `MAX_STEPS` an issue gets the cycle found for another issue of the same group.
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
      if (way !== null) known = quotedNames(way.map((each) => byKey.get(each)?.identifier ?? each));
      if (known !== null) found.set(key, known);
    }
  }
  return found;
}

function quotedNames(names: readonly string[]): string {
  const shown =
    names.length > MAX_NAMED + 1 ? [...names.slice(0, MAX_NAMED), '…', ...names.slice(-1)] : names;
  return shown.join(' → ');
}

/** The shortest cycle from an issue back to itself, both ends included; null when there is none. */
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

/**
 * Groups of issues that all block each other, directly or not (Tarjan's algorithm without
 * recursion).
 */
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
