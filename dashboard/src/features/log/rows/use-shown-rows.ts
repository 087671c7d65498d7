import { useCallback, useMemo } from 'preact/hooks';
import type { EventLog, LogRow } from './event-log.ts';
import { fitsFilter, type LogFilter } from './log-filter.ts';
import { MatchingRows } from './matching-rows.ts';

/** The shown rows of a log, from the top. */
export type ShownRows = {
  count: number;
  at: (index: number) => LogRow | undefined;
  /** The key of the row at an index; a new function whenever existing rows moved. */
  keyAt: (index: number) => string | number;
  /** Index of a shown row; -1 when it is not shown. */
  indexOf: (key: string | null) => number;
};

/** The rows that pass the filter and are not inside a folded turn, updated as the log grows. */
export function useShownRows(
  log: EventLog,
  filter: LogFilter,
  folded: ReadonlySet<string>,
): ShownRows {
  const { rows, index } = log;
  // The log of another attempt has another index.
  const matching = useMemo(() => shownOf(filter, folded), [filter, folded, index]);
  matching?.catchUp(log);
  const positions = matching?.positions;
  const at = (shown: number) => rows[positions === undefined ? shown : (positions[shown] ?? -1)];
  const keyAt = useCallback(
    (shown: number) => at(shown)?.key ?? shown,
    [rows, positions, matching?.shifts],
  );
  return {
    count: positions?.length ?? rows.length,
    at,
    keyAt,
    indexOf(key) {
      const position = key === null ? -1 : (index.get(key) ?? -1);
      return matching === null ? position : matching.indexOf(position);
    },
  };
}

/** The rows to show; null for all of them. */
export function shownOf(filter: LogFilter, folded: ReadonlySet<string>): MatchingRows | null {
  if (filter === 'all' && folded.size === 0) return null;
  return new MatchingRows(
    (row) =>
      fitsFilter(row, filter) &&
      (row.kind === 'turn' || row.turnKey === null || !folded.has(row.turnKey)),
  );
}
