import type { Issue } from '@switchyard/shared/api/issue';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { localIssuesQuery, openRequestsQuery, stateQuery } from '../../api/queries.ts';
import { Icon, type IconName } from '../../ui/icon.tsx';
import { Page } from '../../ui/page.tsx';
import { EmptyState, LoadError, Skeleton } from '../../ui/panel-states.tsx';
import {
  type BoardColumn,
  boardColumns,
  matches,
  mergeIssues,
  needOf,
  type Need,
} from './board-columns.ts';
import { IssueCard } from './issue-card.tsx';
import { NewIssue } from './new-issue.tsx';
import './board.css';

/** A column that is at rest shows this many; the rest on request. */
const CARDS_SHOWN = 30;

export function BoardPage() {
  const state = useQuery(stateQuery);
  const local = useQuery(localIssuesQuery);
  const requests = useQuery(openRequestsQuery);
  const [need, setNeed] = useState<Need | null>(null);
  const [words, setWords] = useState('');
  const [creating, setCreating] = useState(false);
  const search = useRef<HTMLInputElement>(null);
  useBoardKeys(() => setCreating(true), search);

  const asking = useMemo(
    () => new Set(requests.data?.requests.map((request) => request.identifier)),
    [requests.data],
  );
  const issues = useMemo(
    () => mergeIssues(local.data?.issues ?? [], state.data),
    [local.data, state.data],
  );
  const shown = issues.filter(
    (issue) => (need === null || needOf(issue, asking) === need) && matches(issue, words.trim()),
  );
  const failed = state.error ?? local.error;
  const loaded = state.data !== undefined || local.data !== undefined;
  const retry = () => void Promise.all([state.refetch(), local.refetch()]);

  return (
    <Page
      title="Board"
      fixed
      actions={
        <>
          <label class="search">
            <Icon name="search" size={14} />
            <input
              ref={search}
              type="search"
              placeholder="Search"
              aria-label="Search issues"
              aria-keyshortcuts="/"
              value={words}
              onInput={(event) => setWords(event.currentTarget.value)}
            />
            <kbd>/</kbd>
          </label>
          <button
            type="button"
            class="button primary"
            aria-keyshortcuts="n"
            onClick={() => setCreating(true)}
          >
            <Icon name="plus" size={14} /> New issue
          </button>
        </>
      }
    >
      {creating && <NewIssue onClose={() => setCreating(false)} />}
      {loaded && <Needs issues={issues} asking={asking} need={need} onChange={setNeed} />}
      {!loaded && failed === null && <BoardSkeleton />}
      {!loaded && failed !== null && <LoadError error={failed} onRetry={retry} />}
      {loaded && issues.length === 0 && (
        <EmptyState icon="board" title="No issues yet">
          <p>Write the first one. An agent takes it as soon as a runner is free.</p>
          <button type="button" class="button primary" onClick={() => setCreating(true)}>
            <Icon name="plus" size={14} /> New issue
          </button>
        </EmptyState>
      )}
      {issues.length > 0 && <Columns columns={boardColumns(shown, asking)} asking={asking} />}
    </Page>
  );
}

/** `n` writes an issue and `/` searches, unless a field or a dialog has the keyboard. */
function useBoardKeys(onNew: () => void, search: { current: HTMLInputElement | null }) {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const target = event.target as Element;
      const busy = target.closest('input, textarea, select, dialog') !== null;
      if (busy || event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.key === 'n') onNew();
      else if (event.key === '/') search.current?.focus();
      else return;
      event.preventDefault();
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, [onNew, search]);
}

const NEEDS: { need: Need; label: string; icon: IconName }[] = [
  { need: 'asking', label: 'Needs you', icon: 'asking' },
  { need: 'running', label: 'Running', icon: 'running' },
  { need: 'waiting', label: 'Waiting', icon: 'queued' },
  { need: 'blocked', label: 'Blocked', icon: 'blocked' },
  { need: 'failed', label: 'Failed', icon: 'failed' },
];

type NeedsProps = {
  issues: Issue[];
  asking: ReadonlySet<string>;
  need: Need | null;
  onChange: (need: Need | null) => void;
};

function Needs({ issues, asking, need, onChange }: NeedsProps) {
  const counts = Map.groupBy(issues, (issue) => needOf(issue, asking));
  return (
    <div class="needs" role="group" aria-label="Filter by what is going on">
      {NEEDS.map((entry) => {
        const count = counts.get(entry.need)?.length ?? 0;
        return (
          <button
            key={entry.need}
            type="button"
            class={`need status-${entry.need === 'waiting' ? 'queued' : entry.need} ${count === 0 ? 'none' : ''}`}
            aria-pressed={need === entry.need}
            onClick={() => onChange(need === entry.need ? null : entry.need)}
          >
            <Icon name={entry.icon} size={14} />
            <strong>{count}</strong> {entry.label}
          </button>
        );
      })}
    </div>
  );
}

function Columns({ columns, asking }: { columns: BoardColumn[]; asking: ReadonlySet<string> }) {
  const row = useRef<HTMLDivElement>(null);
  // Where only one column fits, the one in which something happens comes first into view.
  useLayoutEffect(() => {
    const busy = row.current?.querySelector<HTMLElement>(
      '.column:has(.card:is(.asking, .running))',
    );
    if (row.current && busy && row.current.clientWidth < busy.offsetWidth * 2) {
      row.current.scrollLeft = busy.offsetLeft - row.current.offsetLeft;
    }
  }, []);
  return (
    <div class="columns" ref={row}>
      {columns.map((column) => (
        <Column key={column.name} column={column} asking={asking} />
      ))}
    </div>
  );
}

function Column({ column, asking }: { column: BoardColumn; asking: ReadonlySet<string> }) {
  const [all, setAll] = useState(false);
  const shown = all ? column.issues : column.issues.slice(0, CARDS_SHOWN);
  const hidden = column.issues.length - shown.length;
  return (
    <section class={column.issues.length === 0 ? 'column none' : 'column'} aria-label={column.name}>
      <h2>
        {column.name} <span class="count">{column.issues.length}</span>
      </h2>
      <div class="cards">
        {shown.map((issue) => (
          <IssueCard
            key={`${issue.tracker}:${issue.id}`}
            issue={issue}
            asking={asking.has(issue.identifier)}
          />
        ))}
        {hidden > 0 && (
          <button type="button" class="button small" onClick={() => setAll(true)}>
            Show {hidden} more
          </button>
        )}
      </div>
    </section>
  );
}

function BoardSkeleton() {
  return (
    <div class="columns">
      {[3, 2, 4].map((lines, position) => (
        <section key={position} class="column">
          <Skeleton lines={lines} label="Loading the board" />
        </section>
      ))}
    </div>
  );
}
