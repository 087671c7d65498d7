import { useCallback, useRef, useState } from 'preact/hooks';
import { Icon } from '../../ui/marks/icon.tsx';
import { EmptyState, LoadError, Skeleton } from '../../ui/data/query-view.tsx';
import type { ToggledRow } from './item-view.tsx';
import type { LogFilter } from './rows/log-filter.ts';
import { LiveTextView } from './live/live-text-view.tsx';
import { LogRows } from './log-rows.tsx';
import { LogToolbar } from './log-toolbar.tsx';
import type { AttemptLog } from './use-attempt-log.ts';
import { useFind } from './use-find.ts';
import { useFollow } from './use-follow.ts';
import { useLogKeys } from './use-log-keys.ts';
import { useShownRows } from './rows/use-shown-rows.ts';
import './log.css';

type LogViewProps = {
  attemptId: string;
  attemptLog: AttemptLog;
  live: boolean;
  /** The line in the address. */
  line: string | null;
  /** Puts a line into the address, for a link to it. */
  onLink: (line: string) => void;
};

/** The rows of an attempt; follows the end until the reader scrolls. */
export function LogView({ attemptId, attemptLog, live, line, onLink }: LogViewProps) {
  const { log, status, error, retry } = attemptLog;
  const [folded, setFolded] = useState<ReadonlySet<string>>(new Set());
  const [opened, setOpened] = useState<ReadonlyMap<string, boolean>>(new Map());
  const [filter, setFilter] = useState<LogFilter>('all');
  const [query, setQuery] = useState('');
  const [current, setCurrent] = useState<string | null>(line);
  const field = useRef<HTMLInputElement>(null);
  const scroller = useRef<HTMLDivElement>(null);
  const shown = useShownRows(log, filter, folded);
  const scroll = useFollow(scroller, shown.count);

  const toggle = useCallback(
    ({ key, open }: ToggledRow) => {
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
    setFolded((known) => (known.size === 0 ? known : new Set()));
    setOpened((known) => new Map(known).set(key, true));
  };
  const find = useFind(log, { query, filter, current, goTo });
  const step = (by: 1 | -1) => {
    const index = shown.indexOf(current);
    const row = shown.at(index < 0 ? (by === 1 ? 0 : shown.count - 1) : index + by);
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

  if (log.rows.length === 0)
    return <NoRows status={status} error={error} retry={retry} live={live} />;
  return (
    <div class="log">
      <LogToolbar
        attemptId={attemptId}
        query={query}
        filter={filter}
        field={field}
        find={find}
        place={find.placeOf(current)}
        onQuery={setQuery}
        onFilter={setFilter}
      />
      {status === 'failed' && <LoadError error={error} onRetry={retry} />}
      <LogRows
        shown={shown}
        scroll={scroll}
        scroller={scroller}
        current={current}
        folded={folded}
        opened={opened}
        query={query}
        currentKnown={current !== null && log.index.has(current)}
        onFold={fold}
        onToggle={toggle}
        onLink={link}
      >
        {live && (
          <LiveTextView attemptId={attemptId} shown={filter === 'all'} onChange={scroll.stay} />
        )}
      </LogRows>
      {!scroll.following && (
        <button type="button" class="log-jump" onClick={scroll.jump}>
          <Icon name="down" size={14} />
          {scroll.unseen > 0 ? `${scroll.unseen} new` : 'Jump to end'}
        </button>
      )}
    </div>
  );
}

function NoRows({ status, error, retry, live }: Omit<AttemptLog, 'log'> & { live: boolean }) {
  if (status === 'failed') return <LoadError error={error} onRetry={retry} />;
  if (status === 'loading') return <Skeleton lines={9} label="Loading the log" />;
  return (
    <EmptyState icon="command" title={live ? 'No log entries yet' : 'No log entries'}>
      <p>
        {live
          ? 'Entries appear here when a runner picks up the attempt.'
          : 'The attempt ended before the agent started.'}
      </p>
    </EmptyState>
  );
}

function flip(set: ReadonlySet<string>, key: string): ReadonlySet<string> {
  const next = new Set(set);
  if (!next.delete(key)) next.add(key);
  return next;
}

/**
 * Toggles a line's details. Without a choice of the reader, only the page knows the current state.
 */
function flipOpen(known: ReadonlyMap<string, boolean>, key: string, root: HTMLElement | null) {
  const line = root?.querySelector('.log-slot.current [aria-expanded]');
  const open = known.get(key) ?? line?.getAttribute('aria-expanded') === 'true';
  return new Map(known).set(key, !open);
}
