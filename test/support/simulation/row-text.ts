/** A column's value as text. */
export function rowText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
