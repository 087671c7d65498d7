/**
 * The first names of a list in a sentence: `a, b and 3 more`. `total`: the length of the complete
 * list.
 */
export function namesText(names: readonly string[], total: number): string {
  const more = total - names.length;
  return `${names.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
