/** One value per day, in the colour of a token. */
export type DaySeries = { name: string; token: string; values: readonly number[] };

/** The day `YYYY-MM-DD` in the reader's own notation, for example `20 Nov`. */
export function shortDay(day: string): string {
  const date = new Date(`${day}T00:00:00Z`);
  return date.toLocaleDateString(undefined, { day: 'numeric', month: 'short', timeZone: 'UTC' });
}
