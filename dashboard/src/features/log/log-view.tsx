import { useVirtualizer } from '@tanstack/react-virtual';
import { useCallback, useLayoutEffect, useMemo, useReducer, useRef, useState } from 'preact/hooks';
import { Icon } from '../../ui/icon.tsx';
import { EmptyState, LoadError, Skeleton } from '../../ui/panel-states.tsx';
import { visibleRows } from './event-log.ts';
import { follow, startFollowing } from './follow.ts';
import { LogRowView } from './log-row-view.tsx';
import type { AttemptLog } from './use-attempt-log.ts';
import './log.css';

/** How near to the end counts as the end. */
const END_PX = 32;
/** A scroll counts as the reader's own this long after a wheel, touch, key or pointer. */
const INTENT_MS = 1_000;
const ROW_ESTIMATE_PX = 30;

/** The rows of an attempt: only those in view exist; follows the end until the reader scrolls. */
export function LogView({ attemptLog, live }: { attemptLog: AttemptLog; live: boolean }) {
  const { log, status, error, retry } = attemptLog;
  const [folded, setFolded] = useState<ReadonlySet<string>>(new Set());
  const [opened, setOpened] = useState<ReadonlyMap<string, boolean>>(new Map());
  const rows = useMemo(() => visibleRows(log.rows, folded), [log.rows, folded]);
  const scroller = useRef<HTMLDivElement>(null);
  const virtualizer = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_ESTIMATE_PX,
    getItemKey: (position) => rows[position]?.key ?? position,
    overscan: 16,
  });
  const totalPx = virtualizer.getTotalSize();
  const scroll = useFollow(scroller, rows.length, totalPx);

  const toggle = useCallback(
    (key: string, open: boolean) => {
      scroll.release();
      setOpened((current) => new Map(current).set(key, open));
    },
    [scroll.release],
  );
  const fold = useCallback(
    (key: string) => {
      scroll.release();
      setFolded((current) => flip(current, key));
    },
    [scroll.release],
  );

  if (rows.length === 0) {
    if (status === 'failed') return <LoadError error={error} onRetry={retry} />;
    if (status === 'loading') return <Skeleton lines={9} label="Loading the log" />;
    return (
      <EmptyState icon="command" title={live ? 'Nothing yet' : 'Nothing was recorded'}>
        <p>
          {live
            ? 'Lines appear here as soon as a runner takes the work.'
            : 'The attempt ended before it began to work.'}
        </p>
      </EmptyState>
    );
  }
  return (
    <div class="log">
      {status === 'failed' && <LoadError error={error} onRetry={retry} />}
      <div
        class="log-scroll"
        ref={scroller}
        tabIndex={0}
        role="log"
        aria-label="Event log"
        aria-live="off"
        {...scroll.handlers}
      >
        <div class="log-space" style={{ height: `${totalPx}px` }}>
          {virtualizer.getVirtualItems().map((virtual) => {
            const row = rows[virtual.index];
            return (
              row && (
                <div
                  key={row.key}
                  class="log-slot"
                  data-index={virtual.index}
                  ref={virtualizer.measureElement}
                  style={{ transform: `translateY(${virtual.start}px)` }}
                >
                  <LogRowView
                    row={row}
                    folded={folded.has(row.key)}
                    open={opened.get(row.key)}
                    onFold={fold}
                    onToggle={toggle}
                  />
                </div>
              )
            );
          })}
        </div>
      </div>
      {!scroll.following && (
        <button type="button" class="log-jump" onClick={scroll.jump}>
          <Icon name="down" size={14} />
          {scroll.unseen > 0 ? `${scroll.unseen} new` : 'To the end'}
        </button>
      )}
    </div>
  );
}

function flip(set: ReadonlySet<string>, key: string): ReadonlySet<string> {
  const next = new Set(set);
  if (!next.delete(key)) next.add(key);
  return next;
}

/** Keeps the end in view while following, and tells the reader's scrolling from the list's own. */
function useFollow(scroller: { current: HTMLDivElement | null }, total: number, totalPx: number) {
  const [state, change] = useReducer(follow, startFollowing);
  const lastTop = useRef(0);
  const intentAt = useRef(Number.NEGATIVE_INFINITY);

  const toEnd = useCallback(() => {
    const element = scroller.current;
    if (element !== null) element.scrollTop = element.scrollHeight;
  }, [scroller]);
  useLayoutEffect(() => change({ type: 'grew', total }), [total]);
  useLayoutEffect(() => {
    if (state.following) toEnd();
  }, [state.following, total, totalPx, toEnd]);

  const onIntent = useCallback(() => {
    intentAt.current = performance.now();
  }, []);
  const onScroll = useCallback(() => {
    const element = scroller.current;
    if (element === null) return;
    const up = element.scrollTop < lastTop.current - 1;
    lastTop.current = element.scrollTop;
    const atEnd = element.scrollHeight - element.scrollTop - element.clientHeight < END_PX;
    const own = performance.now() - intentAt.current < INTENT_MS;
    if (own && (atEnd || up)) change({ type: 'scrolled', atEnd: atEnd && !up });
  }, [scroller]);
  const jump = useCallback(() => {
    change({ type: 'jumped' });
    toEnd();
  }, [toEnd]);
  const release = useCallback(() => change({ type: 'scrolled', atEnd: false }), []);
  const handlers = {
    onScroll,
    onWheel: onIntent,
    onTouchMove: onIntent,
    onKeyDown: onIntent,
    onPointerDown: onIntent,
  };
  return { following: state.following, unseen: state.unseen, handlers, jump, release };
}
