import type { LogRow } from './event-log.ts';
import { rowText } from './row-text.ts';

/** Fewer letters than this would find nearly everything. */
const LETTERS_MIN = 2;

/** Keys of the rows that say this, from top to bottom. */
export function findInRows(rows: readonly LogRow[], words: string): string[] {
  const wanted = words.trim().toLowerCase();
  if (wanted.length < LETTERS_MIN) return [];
  return rows.filter((row) => rowText(row).includes(wanted)).map((row) => row.key);
}

/** The found row after the present one, or before it; begins again at the other end. */
export function nextFound(found: readonly string[], current: string | null, by: 1 | -1) {
  if (found.length === 0) return null;
  const position = current === null ? -1 : found.indexOf(current);
  if (position < 0) return (by === 1 ? found[0] : found.at(-1)) ?? null;
  return found[(position + by + found.length) % found.length] ?? null;
}
