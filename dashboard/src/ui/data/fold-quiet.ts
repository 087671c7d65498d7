/** A shown item, with the older quiet items of the same thing that are collapsed behind it. */
export type Folded<T> = { first: T; rest: T[] };

/**
 * Folds items, newest first: quiet ones join the next newer item of the same thing, whatever other
 * items are between; loud ones are always shown. `thingOf` null: the item has no thing.
 */
export function foldQuiet<T>(
  newestFirst: readonly T[],
  { thingOf, isQuiet }: { thingOf: (one: T) => string | null; isQuiet: (one: T) => boolean },
): Folded<T>[] {
  const groups: Folded<T>[] = [];
  const latest = new Map<string, Folded<T>>();
  for (const one of newestFirst) {
    const thing = thingOf(one);
    const group = thing === null ? undefined : latest.get(thing);
    if (group !== undefined && isQuiet(one)) {
      group.rest.push(one);
      continue;
    }
    const own = { first: one, rest: [] };
    groups.push(own);
    if (thing !== null) latest.set(thing, own);
  }
  return groups;
}

/** Summary of the collapsed items with counts: `saved 12 times, started`. */
export function countText(texts: readonly string[]): string {
  const counts = Map.groupBy(texts, (word) => word);
  return [...counts]
    .map(([word, { length }]) => (length === 1 ? word : `${word} ${length} times`))
    .join(', ');
}
