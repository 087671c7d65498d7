/** The smallest value that at least `share` (0 to 1) of all values do not exceed. Throws for none. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  const value = sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)];
  if (value === undefined) throw new Error('no values were measured');
  return value;
}
