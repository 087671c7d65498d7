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
  /** The line that is looked at. */
  current: string | null;
  /** Whether the log has that line yet. */
  currentKnown: boolean;
  folded: ReadonlySet<string>;
  /** What the reader opened or closed. */
  opened: ReadonlyMap<string, boolean>;
  /** They are marked in what is in view. */
  words: string;
  onFold: (key: string) => void;
  onToggle: (row: ToggledRow) => void;
  onLink: (key: string) => void;
  /** Stands below the rows. */
  children: ComponentChildren;
};

/** The shown rows of a log, of which only those in view exist. */
export function LogRows(props: LogRowsProps) {
  const { shown, scroll, scroller, current, currentKnown, folded, opened, words } = props;
  const virtualizer = useVirtualizer<HTMLDivElement, HTMLDivElement>({
    ...rowOptions(shown),
    getScrollElement: () => scroller.current,
    measureElement: observedRowSize,
    overscan: useOverscan(),
    // What is in one task is drawn once, before the next frame, and places alone not at all.
    useFlushSync: false,
    directDomUpdates: true,
    onChange: scroll.stay,
  });
  useLayoutEffect(() => {
    keepRowOffsets(virtualizer, shown);
    scroll.stay();
    // It would hear of it with the next frame, and draw rows where nobody looks any more until then.
    virtualizer.scrollOffset = scroller.current?.scrollTop ?? null;
  }, [scroll.stay, shown.count]);
  // The row is looked for once it is drawn: filters and folds may have changed with it.
  useEffect(() => {
    const index = shown.indexOf(current);
    if (index < 0) return;
    scroll.release();
    virtualizer.scrollToIndex(index, { align: 'center' });
  }, [current, currentKnown, folded]);
  useMarkedTerms(scroller, words);
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

/** Marks them with the next frame, however often the rows are drawn until then. */
function useMarkedTerms(scroller: RefObject<HTMLDivElement | null>, words: string): void {
  useLayoutEffect(() => {
    if (words.trim() === '') return;
    const frame = requestAnimationFrame(() => markTerms(scroller.current, words));
    return () => cancelAnimationFrame(frame);
  });
  // Nothing is left of words that were taken back, or of a log that is no longer there.
  useLayoutEffect(() => () => markTerms(null, ''), [words]);
}
