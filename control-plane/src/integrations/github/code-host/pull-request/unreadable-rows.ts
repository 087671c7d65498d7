/** A note about unreadable rows, for the list of what cannot be seen. */
export function unreadableRows(count: number, what: string): string[] {
  if (count === 0) return [];
  return [`${count === 1 ? `one ${what}` : `${count} ${what}s`} that cannot be read`];
}
