import type { EventLog } from './event-log.ts';
import { fitsFilter, type LogFilter } from './log-filter.ts';
import { MatchingRows } from './matching-rows.ts';
import { rowText } from './row-text.ts';

/** Fewer letters than this would match nearly everything. */
const LETTERS_MIN = 2;

/**
 * A search for the rows of one kind that contain these terms, not yet run; null for too few
 * letters.
 */
export function findRows(query: string, filter: LogFilter): MatchingRows | null {
  const wanted = query.trim().toLowerCase();
  if (wanted.length < LETTERS_MIN) return null;
  return new MatchingRows((row) => fitsFilter(row, filter) && rowText(row).includes(wanted));
}

/** The match `by` further than the current one; wraps around at the ends. */
export function nextFound(
  { rows, index }: EventLog,
  found: MatchingRows,
  current: string | null,
  by: number,
): string | null {
  const { positions } = found;
  if (positions.length === 0) return null;
  const present = current === null ? -1 : found.indexOf(index.get(current) ?? -1);
  const next = present < 0 ? by - (by > 0 ? 1 : 0) : present + by;
  const position = positions.at(next % positions.length);
  return position === undefined ? null : (rows[position]?.key ?? null);
}
