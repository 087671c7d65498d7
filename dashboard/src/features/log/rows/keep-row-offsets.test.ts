import { Virtualizer } from '@tanstack/react-virtual';
import { expect, it } from 'vitest';
import type { TurnRow } from './event-log.ts';
import { keepRowOffsets, rowOptions } from './keep-row-offsets.ts';
import { estimateRowHeight } from './estimate-row-height.ts';
import type { ShownRows } from './use-shown-rows.ts';

const VIEW = { width: 600, height: 300 };
const ROW: TurnRow = {
  kind: 'turn',
  key: 'turn',
  turnId: 't',
  number: 1,
  steps: 0,
  startedAtMs: 0,
  endedAtMs: null,
  status: 'running',
  message: '',
};
const ROW_PX = estimateRowHeight(ROW);

/** A list of rows as a page would show it, without one; counts how often rows are asked for. */
function list(initial = 1_000, initialOffset = 0) {
  let asked = 0;
  const scrolls: number[] = [];
  const keyOf = (index: number) => `row:${index}`;
  const rows = (count: number, keyAt: ShownRows['keyAt']): ShownRows => ({
    count,
    keyAt,
    at: () => {
      asked += 1;
      return ROW;
    },
    indexOf: () => -1,
  });
  const optionsOf = (shown: ShownRows) => ({
    ...rowOptions(shown),
    initialRect: VIEW,
    initialOffset,
    overscan: 2,
    getScrollElement: () => null,
    scrollToFn: (_: number, { adjustments = 0 }: { adjustments?: number }) => {
      scrolls.push(adjustments);
    },
    observeElementRect: () => {},
    observeElementOffset: () => {},
    // As the page does, which places the rows then.
    onChange: (changed: Virtualizer<HTMLDivElement, HTMLDivElement>) => {
      changed.getVirtualItems();
    },
  });
  const first = optionsOf(rows(initial, keyOf));
  const virtualizer = new Virtualizer<HTMLDivElement, HTMLDivElement>(first);
  virtualizer.getVirtualItems();
  return {
    virtualizer,
    scrolls,
    /** How many rows were asked for to show this. */
    show(count: number, keyAt: ShownRows['keyAt'] = keyOf): number {
      asked = 0;
      const shown = rows(count, keyAt);
      virtualizer.setOptions(optionsOf(shown));
      virtualizer.getVirtualItems();
      keepRowOffsets(virtualizer, shown);
      return asked;
    },
  };
}

it('asks only for the heights of rows that follow', () => {
  const { virtualizer, show } = list();
  expect(virtualizer.getTotalSize()).toBe(1_000 * ROW_PX);
  expect(show(1_050)).toBe(50);
  expect(virtualizer.getTotalSize()).toBe(1_050 * ROW_PX);
  expect(show(1_050)).toBe(0);
});

it('has the heights of all rows when more came than there was room for', () => {
  const { virtualizer, show } = list(4_090);
  show(4_200);
  show(4_201);
  expect(virtualizer.getTotalSize()).toBe(4_201 * ROW_PX);
  expect(virtualizer.measurementsCache[4_200]).toMatchObject({
    key: 'row:4200',
    start: 4_200 * ROW_PX,
    size: ROW_PX,
  });
});

it('keeps what was measured meanwhile, before and after more rows came', () => {
  const { virtualizer, show } = list();
  virtualizer.resizeItem(10, 100);
  show(1_050);
  virtualizer.resizeItem(1_049, 80);
  show(1_060);
  expect(virtualizer.getTotalSize()).toBe(1_060 * ROW_PX + (100 - ROW_PX) + (80 - ROW_PX));
  expect(virtualizer.measurementsCache[11]?.start).toBe(10 * ROW_PX + 100);
});

it('gives rows that came a height when they are drawn, whatever is measured before', () => {
  const { virtualizer, show } = list();
  virtualizer.resizeItem(999, 100);
  expect(virtualizer.getTotalSize()).toBe(1_000 * ROW_PX + (100 - ROW_PX));
  expect(show(1_010)).toBe(10);
  expect(virtualizer.getTotalSize()).toBe(1_010 * ROW_PX + (100 - ROW_PX));
});

it('begins anew when rows moved or went', () => {
  const { virtualizer, show } = list();
  const other = (index: number) => `other:${index}`;
  expect(show(900, other)).toBe(900);
  expect(show(950)).toBe(950);
  expect(virtualizer.getTotalSize()).toBe(950 * ROW_PX);
});

it('draws only rows that there are', () => {
  const { virtualizer, show } = list(5);
  expect(virtualizer.getVirtualIndexes()).toEqual([0, 1, 2, 3, 4]);
  show(6);
  expect(virtualizer.getVirtualIndexes()).toEqual([0, 1, 2, 3, 4, 5]);
  show(0, (index) => `none:${index}`);
  expect(virtualizer.getVirtualIndexes()).toEqual([]);
  expect(virtualizer.getTotalSize()).toBe(0);
});

it('draws up to the end, and none of the room behind it', () => {
  const { virtualizer } = list(1_000, 1_000 * ROW_PX);
  expect(virtualizer.getVirtualIndexes().at(-1)).toBe(999);
  expect(virtualizer.getVirtualIndexes().length).toBeLessThan(20);
});

it('draws only rows that there are when a hidden page makes all of them flat', () => {
  const { virtualizer } = list(5);
  for (const index of [0, 1, 2, 3, 4]) virtualizer.resizeItem(index, 0);
  expect(virtualizer.getVirtualIndexes().at(-1)).toBe(4);
});

it('leaves the view where it is when rows come above what is read below them', () => {
  const { scrolls, show } = list(1_000, 1_000 * ROW_PX + 500);
  show(1_001);
  expect(scrolls).toEqual([]);
});

it('moves the view with a row above it that is measured for the first time', () => {
  const { virtualizer, scrolls, show } = list();
  show(1_001);
  // The reader is in the middle of the row that came.
  virtualizer.scrollOffset = 1_000 * ROW_PX + 10;
  virtualizer.resizeItem(1_000, ROW_PX + 50);
  expect(scrolls).toEqual([50]);
});
