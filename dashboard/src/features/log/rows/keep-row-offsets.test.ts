import { Virtualizer } from '@tanstack/react-virtual';
import { expect, it } from 'vitest';
import { keepRowOffsets } from './keep-row-offsets.ts';
import type { ShownRows } from './use-shown-rows.ts';

const ROW_PX = 30;

/** A list of rows as a page would show it, without one; counts how often heights are asked for. */
function list() {
  let asked = 0;
  const optionsOf = ({ count, keyAt }: ShownRows) => ({
    count,
    getItemKey: keyAt,
    getScrollElement: () => null,
    estimateSize: () => {
      asked += 1;
      return ROW_PX;
    },
    scrollToFn: () => {},
    observeElementRect: () => {},
    observeElementOffset: () => {},
  });
  const keyAt = (index: number) => `row:${index}`;
  const rows = (count: number, keys = keyAt): ShownRows => ({
    count,
    keyAt: keys,
    at: () => undefined,
    indexOf: () => -1,
  });
  let before = rows(1_000);
  const virtualizer = new Virtualizer<HTMLDivElement, HTMLDivElement>(optionsOf(before));
  virtualizer.getTotalSize();
  return {
    virtualizer,
    /** How many heights were asked for to show this. */
    show(count: number, keys = keyAt): number {
      asked = 0;
      const shown = rows(count, keys);
      virtualizer.setOptions(optionsOf(shown));
      keepRowOffsets(virtualizer, before, shown);
      before = shown;
      virtualizer.getTotalSize();
      return asked;
    },
  };
}

it('asks only for the heights of rows that follow', () => {
  const { virtualizer, show } = list();
  expect(show(1_050)).toBe(50);
  expect(virtualizer.getTotalSize()).toBe(1_050 * ROW_PX);
});

it('keeps what was measured meanwhile, before and after more rows came', () => {
  const { virtualizer, show } = list();
  virtualizer.resizeItem(10, 100);
  show(1_050);
  virtualizer.resizeItem(1_049, 80);
  show(1_060);
  expect(virtualizer.getTotalSize()).toBe(1_060 * ROW_PX + 70 + 50);
  expect(virtualizer.measurementsCache[11]?.start).toBe(10 * ROW_PX + 100);
});

it('begins anew when rows moved or went', () => {
  const { virtualizer, show } = list();
  expect(show(900)).toBe(900);
  expect(show(950, (index) => `other:${index}`)).toBe(950);
  expect(virtualizer.getTotalSize()).toBe(950 * ROW_PX);
});
