import {
  defaultRangeExtractor,
  measureElement as sizeOf,
  type Range,
  type Virtualizer,
  type VirtualizerOptions,
} from '@tanstack/react-virtual';
import { useEffect, useState } from 'preact/hooks';
import { estimateRowHeight } from './estimate-row-height.ts';
import type { ShownRows } from './use-shown-rows.ts';

/** Rows drawn beyond the visible ones: few at first, so that the page is soon usable. */
const BEYOND_FIRST = 2;
const BEYOND = 16;
const BEYOND_AFTER_MS = 300;
/** The virtualizer's count is rounded up to a multiple of this, so that it rarely changes. */
const ROOM_ROWS = 4_096;

type Rows = Virtualizer<HTMLDivElement, HTMLDivElement>;

/** Number of rows to draw out of view: few while the page loads. */
export function useOverscan(): number {
  const [rows, setRows] = useState(BEYOND_FIRST);
  useEffect(() => {
    const timer = setTimeout(() => setRows(BEYOND), BEYOND_AFTER_MS);
    return () => clearTimeout(timer);
  }, []);
  return rows;
}

/**
 * A row's height from the browser's resize observation, for all new rows at once and before they
 * are painted. Measuring each one, as the library does, forces a layout per row.
 */
export const observedRowSize: VirtualizerOptions<
  HTMLDivElement,
  HTMLDivElement
>['measureElement'] = (element, entry, virtualizer) => {
  if (entry !== undefined) return sizeOf(element, entry, virtualizer);
  const index = virtualizer.indexFromElement(element);
  return virtualizer.measurementsCache[index]?.size ?? sizeOf(element, entry, virtualizer);
};

/** The virtualizer's options for these rows, with spare rows after them: see `keepRowOffsets`. */
export function rowOptions({ count, at, keyAt }: ShownRows) {
  return {
    count: Math.ceil(count / ROOM_ROWS) * ROOM_ROWS,
    estimateSize: (index: number) => {
      const row = index < count ? at(index) : undefined;
      return row === undefined ? 0 : estimateRowHeight(row);
    },
    getItemKey: keyAt,
    rangeExtractor: (range: Range) => {
      // Where all rows are hidden and flat, the range may begin after them.
      const startIndex = Math.min(range.startIndex, count - 1);
      return defaultRangeExtractor({ ...range, startIndex, count });
    },
  };
}

/**
 * Avoids recomputing all row offsets when rows are appended: the virtualizer adds up every height
 * when its count changes, for 100,000 rows ten times a second. Its count includes spare rows of
 * height 0. The first appended row gets its height here, and offsets are computed from there. Call
 * it after drawing.
 */
export function keepRowOffsets(virtualizer: Rows, { count }: ShownRows): void {
  let first = count;
  while (first > 0 && virtualizer.measurementsCache[first - 1]?.size === 0) first -= 1;
  if (first === count) return;
  const { estimateSize, getItemKey } = virtualizer.options;
  // No visible row grew, so the view must not scroll.
  virtualizer.shouldAdjustScrollPositionOnItemSizeChange = () => false;
  virtualizer.resizeItem(first, estimateSize(first));
  virtualizer.shouldAdjustScrollPositionOnItemSizeChange = undefined;
  // The height is an estimate, so the row counts as not measured.
  virtualizer.itemSizeCache.delete(getItemKey(first));
}
