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

/** Rows that exist beyond those in view: at first few, so that the page can soon be used. */
const BEYOND_FIRST = 2;
const BEYOND = 16;
const BEYOND_AFTER_MS = 300;
/** The virtualizer's count is a multiple of this, so that it seldom changes. */
const ROOM_ROWS = 4_096;

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

/** The virtualizer's options for these rows, with room for more after them: see `keepRowOffsets`. */
export function rowOptions({ count, at, keyAt }: ShownRows) {
  return {
    count: Math.ceil(count / ROOM_ROWS) * ROOM_ROWS,
    estimateSize: (index: number) => {
      const row = index < count ? at(index) : undefined;
      return row === undefined ? 0 : estimateRowHeight(row);
    },
    getItemKey: keyAt,
    rangeExtractor: (range: Range) => {
      // Where all rows are hidden and flat, the range may begin behind them.
      const startIndex = Math.min(range.startIndex, count - 1);
      return defaultRangeExtractor({ ...range, startIndex, count });
    },
  };
}

/**
 * Keeps where the rows stand when others only follow them: the virtualizer adds up all heights again
 * when its count changes, of 100,000 rows ten times a second. Its count has room instead, of height 0.
 * The first appended row gets its height here, and from that row on the heights are added up again.
 * Call it once the rows are drawn.
 */
export function keepRowOffsets(virtualizer: Rows, { count }: ShownRows): void {
  let first = count;
  while (first > 0 && virtualizer.measurementsCache[first - 1]?.size === 0) first -= 1;
  if (first === count) return;
  const { estimateSize, getItemKey } = virtualizer.options;
  // Nothing in view grew, so the view must not move.
  virtualizer.shouldAdjustScrollPositionOnItemSizeChange = () => false;
  virtualizer.resizeItem(first, estimateSize(first));
  virtualizer.shouldAdjustScrollPositionOnItemSizeChange = undefined;
  // Its height is an estimate: the row counts as not measured yet.
  virtualizer.itemSizeCache.delete(getItemKey(first));
}
