import { useEffect, useMemo, useReducer } from 'preact/hooks';
import type { EventLog } from './rows/event-log.ts';
import { nextFound, findRows } from './rows/find-rows.ts';
import type { LogFilter } from './rows/log-filter.ts';

/** Duration of one slice of a search, so that a key press waits no longer. */
const SLICE_MS = 8;

export type Find = {
  /** Number of matching rows, as far as the log has been searched. */
  found: number;
  /** Number of this row among the matches, from 1; 0 for none. */
  placeOf: (key: string | null) => number;
  searching: boolean;
  /** Moves to the next or previous match, after the complete log has been searched. */
  next: (by: 1 | -1) => void;
};

/** Searches a growing log slice by slice, and updates the matches as it grows. */
export function useFind(
  log: EventLog,
  sought: {
    query: string;
    filter: LogFilter;
    /** The row from which the next one is sought. */
    current: string | null;
    goTo: (key: string) => void;
  },
): Find {
  const { query, filter, current, goTo } = sought;
  // The log of another attempt has another index.
  const rows = useMemo(() => findRows(query, filter), [query, filter, log.index]);
  const [looked, searchNext] = useReducer((slices: number) => slices + 1, 0);
  const searching = rows !== null && !rows.catchUp(log, performance.now() + SLICE_MS);
  useEffect(() => {
    if (!searching) return;
    const timer = setTimeout(() => searchNext(null));
    return () => clearTimeout(timer);
  }, [searching, looked, rows, log]);

  // Enter during a search takes effect at its end, when all matches are known.
  const asked = useMemo(() => ({ by: 0 }), [rows]);
  const go = () => {
    const key = rows === null || asked.by === 0 ? null : nextFound(log, rows, current, asked.by);
    asked.by = 0;
    if (key !== null) goTo(key);
  };
  useEffect(() => {
    if (!searching) go();
  }, [searching]);

  return {
    found: rows?.positions.length ?? 0,
    placeOf: (key) => (key === null ? 0 : (rows?.indexOf(log.index.get(key) ?? -1) ?? -1) + 1),
    searching,
    next: (by) => {
      asked.by += by;
      if (!searching) go();
    },
  };
}
