import { useVirtualizer } from '@tanstack/react-virtual';
import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { Icon } from '../../ui/icon.tsx';
import { EmptyState, LoadError, Skeleton } from '../../ui/panel-states.tsx';
import { useShortcuts } from '../../ui/shortcuts.ts';
import { visibleRows } from './event-log.ts';
import { findInRows, nextFound } from './find-in-rows.ts';
import { filterRows, type LogFilter } from './log-filter.ts';
import { LiveTextView } from './live-text-view.tsx';
import { LogRowView } from './log-row-view.tsx';
import { LogToolbar } from './log-toolbar.tsx';
import { markWords } from './mark-words.ts';
import type { AttemptLog } from './use-attempt-log.ts';
import { useFollow } from './use-follow.ts';
import { useLiveText } from './use-live-text.ts';
import './log.css';

const ROW_ESTIMATE_PX = 30;

type LogViewProps = {
  attemptId: string;
  attemptLog: AttemptLog;
  live: boolean;
  /** The line that the address names. */
  line: string | null;
  /** Puts a line into the address, for a link to it. */
  onLink: (line: string) => void;
};

/** The rows of an attempt: only those in view exist; follows the end until the reader scrolls. */
export function LogView({ attemptId, attemptLog, live, line, onLink }: LogViewProps) {
  const { log, status, error, retry } = attemptLog;
  const [folded, setFolded] = useState<ReadonlySet<string>>(new Set());
  const [opened, setOpened] = useState<ReadonlyMap<string, boolean>>(new Map());
  const [filter, setFilter] = useState<LogFilter>('all');
  const [words, setWords] = useState('');
  const [current, setCurrent] = useState<string | null>(line);
  const field = useRef<HTMLInputElement>(null);
  const filtered = useMemo(() => filterRows(log.rows, filter), [log.rows, filter]);
  const rows = useMemo(() => visibleRows(filtered, folded), [filtered, folded]);
  const found = useMemo(() => findInRows(filtered, words), [filtered, words]);
  const scroller = useRef<HTMLDivElement>(null);
  const virtualizer = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_ESTIMATE_PX,
    getItemKey: (position) => rows[position]?.key ?? position,
    overscan: 16,
  });
  const totalPx = virtualizer.getTotalSize();
  const liveText = useLiveText(attemptId, live);
  // What is being written grows below the rows: it is followed like them.
  const scroll = useFollow(scroller, rows.length, liveText.items.size === 0 ? totalPx : liveText);

  const toggle = useCallback(
    (key: string, open: boolean) => {
      scroll.release();
      setOpened((known) => new Map(known).set(key, open));
    },
    [scroll.release],
  );
  const fold = useCallback(
    (key: string) => {
      scroll.release();
      setFolded((known) => flip(known, key));
    },
    [scroll.release],
  );
  const link = useCallback(
    (key: string) => {
      setCurrent(key);
      onLink(key);
    },
    [onLink],
  );
  const goTo = (key: string) => {
    scroll.release();
    setCurrent(key);
    setFolded(new Set());
  };
  // The row is looked for once it is drawn: filters and folds may have changed with it.
  useEffect(() => {
    const index = current === null ? -1 : rows.findIndex((row) => row.key === current);
    if (index < 0) return;
    scroll.release();
    virtualizer.scrollToIndex(index, { align: 'center' });
  }, [current, current !== null && log.index.has(current), folded]);
  useLayoutEffect(() => markWords(scroller.current, words));
  useEffect(() => () => markWords(null, ''), []);

  const find = (by: 1 | -1) => {
    const key = nextFound(found, current, by);
    if (key === null) return;
    goTo(key);
    setOpened((known) => new Map(known).set(key, true));
  };
  const step = (by: 1 | -1) => {
    const index = rows.findIndex((row) => row.key === current);
    const row = index < 0 ? rows[by === 1 ? 0 : rows.length - 1] : rows[index + by];
    if (row === undefined) return;
    scroll.release();
    setCurrent(row.key);
  };
  useLogKeys({
    field,
    step,
    toEnd: () => {
      setCurrent(null);
      scroll.jump();
    },
    toggleCurrent: () => {
      if (current !== null) setOpened((known) => flipOpen(known, current, scroller.current));
    },
    linkCurrent: () => current !== null && link(current),
  });

  if (log.rows.length === 0) return <NoRows {...{ status, error, retry, live }} />;
  return (
    <div class="log">
      <LogToolbar
        {...{ attemptId, words, filter, field }}
        found={found.length}
        position={current === null ? 0 : found.indexOf(current) + 1}
        onWords={setWords}
        onNext={find}
        onFilter={setFilter}
      />
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
                  class={row.key === current ? 'log-slot current' : 'log-slot'}
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
                    onLink={link}
                  />
                </div>
              )
            );
          })}
        </div>
        {filter === 'all' && liveText.items.size > 0 && <LiveTextView live={liveText} />}
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

function NoRows({ status, error, retry, live }: Omit<AttemptLog, 'log'> & { live: boolean }) {
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

type LogKeys = {
  field: { current: HTMLInputElement | null };
  step: (by: 1 | -1) => void;
  toEnd: () => void;
  toggleCurrent: () => void;
  linkCurrent: () => void;
};

function useLogKeys({ field, step, toEnd, toggleCurrent, linkCurrent }: LogKeys): void {
  const key = (keys: string, label: string, run: () => void) => ({
    keys,
    label,
    group: 'Log',
    run,
  });
  useShortcuts([
    key('/', 'Find in the log', () => field.current?.focus()),
    key('j', 'Next line', () => step(1)),
    key('k', 'Line before', () => step(-1)),
    key('o', 'Open or close the line', toggleCurrent),
    key('y', 'Link to the line', linkCurrent),
    key('e', 'To the end, and follow', toEnd),
  ]);
}

function flip(set: ReadonlySet<string>, key: string): ReadonlySet<string> {
  const next = new Set(set);
  if (!next.delete(key)) next.add(key);
  return next;
}

/** The other of what the line shows now, which without a choice of the reader only the page knows. */
function flipOpen(known: ReadonlyMap<string, boolean>, key: string, root: HTMLElement | null) {
  const line = root?.querySelector('.log-slot.current [aria-expanded]');
  const open = known.get(key) ?? line?.getAttribute('aria-expanded') === 'true';
  return new Map(known).set(key, !open);
}
