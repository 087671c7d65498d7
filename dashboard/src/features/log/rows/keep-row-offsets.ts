import {
  measureElement as sizeOf,
  type Virtualizer,
  type VirtualizerOptions,
} from '@tanstack/react-virtual';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { ShownRows } from './use-shown-rows.ts';

/** Rows that exist beyond those in view: at first few, so that the page can soon be used. */
const BEYOND_FIRST = 2;
const BEYOND = 16;
const BEYOND_AFTER_MS = 300;

type Rows = Virtualizer<HTMLDivElement, HTMLDivElement>;

/** How many rows to draw where nobody looks yet: few while the page appears. */
export function useOverscan(): number {
  const [rows, setRows] = useState(BEYOND_FIRST);
  useEffect(() => {
    const timer = setTimeout(() => setRows(BEYOND), BEYOND_AFTER_MS);
    return () => clearTimeout(timer);
  }, []);
  return rows;
}

/**
 * A row's height as the browser tells of it, for all new rows at once and before they are painted.
 * Asking for each as it comes, as the library does, lays out the page once for every row.
 */
export const observedRowSize: VirtualizerOptions<
  HTMLDivElement,
  HTMLDivElement
>['measureElement'] = (element, entry, virtualizer) => {
  if (entry !== undefined) return sizeOf(element, entry, virtualizer);
  const index = virtualizer.indexFromElement(element);
  return virtualizer.measurementsCache[index]?.size ?? sizeOf(element, entry, virtualizer);
};

/** What was shown when this was drawn before; null the first time. */
export function usePrevious(shown: ShownRows): ShownRows | null {
  const before = useRef<ShownRows | null>(null);
  const known = before.current;
  before.current = shown;
  return known;
}

/**
 * Keeps where the rows stand when others only follow them. The library adds up the heights of all
 * rows again for each that comes: of 100,000 rows, ten times a second. To be called between its
 * new options and its first answer.
 */
export function keepRowOffsets(
  virtualizer: Rows,
  before: ShownRows | null,
  shown: ShownRows,
): void {
  if (before === null || before.count === 0 || before.keyAt !== shown.keyAt) return;
  if (shown.count <= before.count) return;
  const from = Math.min(virtualizer['pendingMin'] ?? before.count, before.count);
  // Takes note of the new number of rows, and would have all begin anew.
  virtualizer['getMeasurementOptions']();
  virtualizer['pendingMin'] = from;
}
