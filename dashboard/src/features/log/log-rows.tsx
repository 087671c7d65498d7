import { useVirtualizer } from '@tanstack/react-virtual';
import type { ComponentChildren, RefObject } from 'preact';
import { useEffect, useLayoutEffect } from 'preact/hooks';
import { LogRowView } from './log-row-view.tsx';
import type { ToggledRow } from './item-view.tsx';
import { markTerms } from './rows/mark-terms.ts';
import {
  keepRowOffsets,
  observedRowSize,
  rowOptions,
  useOverscan,
} from './rows/keep-row-offsets.ts';
import type { Scroll } from './use-follow.ts';
import type { ShownRows } from './rows/use-shown-rows.ts';

type LogRowsProps = {
  shown: ShownRows;
  scroll: Scroll;
  scroller: RefObject<HTMLDivElement | null>;
  /** Key of the current line; null: none. */
  current: string | null;
  /** Whether the log already has that line. */
  currentKnown: boolean;
  folded: ReadonlySet<string>;
  /** Rows that the reader opened or closed. */
  opened: ReadonlyMap<string, boolean>;
  /** Search terms, which are highlighted in the visible rows. */
  query: string;
  onFold: (key: string) => void;
  onToggle: (row: ToggledRow) => void;
  onLink: (key: string) => void;
  /** Content below the rows. */
  children: ComponentChildren;
};

/** The rows of a log, of which only the visible ones are in the document. */
export function LogRows(props: LogRowsProps) {
  const { shown, scroll, scroller, current, currentKnown, folded, opened, query } = props;
  const virtualizer = useVirtualizer<HTMLDivElement, HTMLDivElement>({
    ...rowOptions(shown),
    getScrollElement: () => scroller.current,
    measureElement: observedRowSize,
    overscan: useOverscan(),
    // Changes within one task are drawn once, before the next frame, and mere positions without
    // drawing.
    useFlushSync: false,
    directDomUpdates: true,
    onChange: scroll.stay,
  });
  useLayoutEffect(() => {
    keepRowOffsets(virtualizer, shown);
    scroll.stay();
    // The virtualizer would learn the position in the next frame, and draw rows that are out of
    // view.
    virtualizer.scrollOffset = scroller.current?.scrollTop ?? null;
  }, [scroll.stay, shown.count]);
  // The row is found after drawing, since filters and folds may have changed with it.
  useEffect(() => {
    const index = shown.indexOf(current);
    if (index < 0) return;
    scroll.release();
    virtualizer.scrollToIndex(index, { align: 'center' });
  }, [current, currentKnown, folded]);
  useMarkedTerms(scroller, query);
  return (
    <div
      class="log-scroll"
      ref={scroller}
      tabIndex={0}
      role="log"
      aria-label="Event log"
      aria-live="off"
      {...scroll.handlers}
    >
      <div class="log-space" ref={virtualizer.containerRef}>
        {virtualizer.getVirtualItems().map((virtual) => {
          const row = shown.at(virtual.index);
          return (
            row && (
              <div
                key={row.key}
                class={row.key === current ? 'log-slot current' : 'log-slot'}
                data-index={virtual.index}
                ref={virtualizer.measureElement}
              >
                <LogRowView
                  row={row}
                  folded={folded.has(row.key)}
                  open={opened.get(row.key)}
                  onFold={props.onFold}
                  onToggle={props.onToggle}
                  onLink={props.onLink}
                />
              </div>
            )
          );
        })}
      </div>
      {props.children}
    </div>
  );
}

/** Highlights the terms once in the next frame, however often the rows are drawn until then. */
function useMarkedTerms(scroller: RefObject<HTMLDivElement | null>, query: string): void {
  useLayoutEffect(() => {
    if (query.trim() === '') return;
    const frame = requestAnimationFrame(() => markTerms(scroller.current, query));
    return () => cancelAnimationFrame(frame);
  });
  // Removes highlights of cleared terms, or of a log that is no longer shown.
  useLayoutEffect(() => () => markTerms(null, ''), [query]);
}
