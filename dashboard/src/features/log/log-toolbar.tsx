import { useMutation } from '@tanstack/react-query';
import type { RefObject } from 'preact';
import { useSyncExternalStore } from 'preact/compat';
import { eventStream } from '../../api/event-stream.ts';
import { Icon } from '../../ui/marks/icon.tsx';
import { showErrorToast } from '../../ui/overlays/toasts.tsx';
import { downloadLog } from './download-log.ts';
import type { Find } from './use-find.ts';
import { LOG_FILTERS, type LogFilter } from './rows/log-filter.ts';
import { IconButton } from '../../ui/icon-button.tsx';
import './log-tools.css';

type LogToolbarProps = {
  attemptId: string;
  query: string;
  onQuery: (query: string) => void;
  find: Find;
  /** Number of the current match, from 1; 0 for none. */
  place: number;
  filter: LogFilter;
  onFilter: (filter: LogFilter) => void;
  field: RefObject<HTMLInputElement | null>;
};

/** Search, filter and download; shows when the rows below may be outdated. */
export function LogToolbar(props: LogToolbarProps) {
  const { find } = props;
  const status = useSyncExternalStore(eventStream.onStatus, () => eventStream.status);
  const download = useMutation({
    mutationFn: () => downloadLog(props.attemptId, `${props.attemptId}.ndjson`),
    onError: showErrorToast,
  });
  const searching = props.query.trim() !== '';
  return (
    <div class="log-tools" role="toolbar" aria-label="Log">
      <label class="search">
        <Icon name="search" size={14} />
        <input
          ref={props.field}
          type="search"
          placeholder="Find in log"
          aria-label="Find in log"
          aria-keyshortcuts="f"
          value={props.query}
          onInput={(event) => props.onQuery(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key === 'Enter') find.next(event.shiftKey ? -1 : 1);
            else if (event.key === 'Escape') event.currentTarget.blur();
          }}
        />
        {!searching && <kbd>f</kbd>}
      </label>
      {searching && (
        <span class="log-found" role="status">
          {foundText(find, props.place)}
        </span>
      )}
      {find.found > 0 && (
        <>
          <IconButton icon="up" label="Previous match" size={14} onClick={() => find.next(-1)} />
          <IconButton icon="down" label="Next match" size={14} onClick={() => find.next(1)} />
        </>
      )}
      <label class="log-filter">
        <Icon name="filter" size={14} />
        <select
          aria-label="Filter log"
          value={props.filter}
          onChange={(event) => props.onFilter(event.currentTarget.value as LogFilter)}
        >
          {LOG_FILTERS.map((entry) => (
            <option key={entry.id} value={entry.id}>
              {entry.label}
            </option>
          ))}
        </select>
      </label>
      <span class="spacer" />
      {(status === 'reconnecting' || status === 'limited') && (
        <span class="log-lag" role="status">
          <Icon name="offline" size={14} /> {status === 'limited' ? 'Waiting' : 'Reconnecting'};
          showing the log so far
        </span>
      )}
      <IconButton
        icon="download"
        label="Download the raw log"
        disabled={download.isPending}
        onClick={() => download.mutate()}
      />
    </div>
  );
}

/** The number of matches, with an ellipsis while the search is running. */
function foundText({ found, searching }: Find, place: number): string {
  if (found === 0) return searching ? 'searching …' : 'no matches';
  return `${place} of ${found}${searching ? ' …' : ''}`;
}
