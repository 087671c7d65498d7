/** One that is shown, and older quiet ones of the same thing that stand behind it. */
export type Folded<T> = { first: T; rest: T[] };

/**
 * Newest first: quiet ones join the next newer one of the same thing, however much of other things
 * lies between; loud ones always stand for themselves. `thingOf` null: belongs to nothing.
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

/** What stands behind, in words with how often each: `saved 12 times, started`. */
export function countText(words: readonly string[]): string {
  const counts = Map.groupBy(words, (word) => word);
  return [...counts]
    .map(([word, { length }]) => (length === 1 ? word : `${word} ${length} times`))
    .join(', ');
}
