/** Values by day, in the colour of a token. */
export type DaySeries = { name: string; token: string; values: readonly number[] };

/** `20 Nov` in the reader's own notation, of `YYYY-MM-DD`. */
export function shortDay(day: string): string {
  const date = new Date(`${day}T00:00:00Z`);
  return date.toLocaleDateString(undefined, { day: 'numeric', month: 'short', timeZone: 'UTC' });
}
