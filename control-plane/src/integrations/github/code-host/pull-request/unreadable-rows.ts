/** Rows of a list that cannot be read, in words for what of a pull request is not seen. */
export function unreadableRows(count: number, what: string): string[] {
  if (count === 0) return [];
  return [`${count === 1 ? `one ${what}` : `${count} ${what}s`} that cannot be read`];
}
