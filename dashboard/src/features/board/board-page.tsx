import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useMemo, useRef, useState } from 'preact/hooks';
import { localIssuesQuery, openRequestsQuery, stateQuery } from '../../api/queries.ts';
import { Icon } from '../../ui/marks/icon.tsx';
import { Page } from '../../ui/layout/page.tsx';
import { EmptyState, LoadError, Skeleton } from '../../ui/data/query-view.tsx';
import { usePendingActions } from '../../ui/overlays/run-undoable.ts';
import { boardColumns, matches, type Need, needOf } from './board-columns.ts';
import { Columns } from './columns.tsx';
import { DensityButton, readDensity } from './density-button.tsx';
import { mergeIssues } from './merge-issues.ts';
import { withPending } from './with-pending.ts';
import { FilterBar } from './filter-bar.tsx';
import { isNeed, Needs } from './needs.tsx';
import { NewIssue } from './new-issue.tsx';
import { SelectionBar } from './selection-bar.tsx';
import { useBoardKeys } from './use-board-keys.tsx';
import { Button } from '../../ui/button.tsx';
import './board.css';

/** All issues by their state in the tracker. What is filtered stands in the address. */
export function BoardPage() {
  const state = useQuery(stateQuery);
  const local = useQuery(localIssuesQuery);
  const requests = useQuery(openRequestsQuery);
  const { need: needed, q: words = '', new: wanted } = useSearch({ from: '/board' });
  const need = isNeed(needed) ? needed : null;
  const setFilter = useFilter();
  const [asked, setCreating] = useState(false);
  // The address asks for it too, also where the board is open already.
  const creating = asked || wanted !== undefined;
  const [density, setDensity] = useState(readDensity);
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const search = useRef<HTMLInputElement>(null);

  const endCreating = () => {
    setCreating(false);
    if (wanted !== undefined) setFilter({ new: '' });
  };
  const asking = useMemo(
    () => new Set(requests.data?.requests.map((request) => request.identifier)),
    [requests.data],
  );
  const pending = usePendingActions();
  const issues = useMemo(
    () => withPending(mergeIssues(local.data?.issues ?? [], state.data), pending),
    [local.data, state.data, pending],
  );
  const dialog = useBoardKeys({
    issues,
    selected,
    setSelected,
    search,
    onNew: () => setCreating(true),
  });
  // The chips count what the words leave, so that each shows as many as it says.
  const matching = issues.filter((issue) => matches(issue, words.trim()));
  const shown = matching.filter((issue) => need === null || needOf(issue, asking) === need);
  // One of the two may be there and the other not: then a part of the issues is missing.
  const failed =
    (state.data === undefined ? state.error : null) ??
    (local.data === undefined ? local.error : null);
  const loaded = state.data !== undefined || local.data !== undefined;
  const known = [state, local, requests].every(({ data }) => data !== undefined);
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
              placeholder="Filter"
              aria-label="Filter issues"
              aria-keyshortcuts="/"
              value={words}
              onInput={(event) => setFilter({ q: event.currentTarget.value })}
              onKeyDown={(event) => event.key === 'Escape' && event.currentTarget.blur()}
            />
            <kbd>/</kbd>
          </label>
          <DensityButton density={density} onChange={setDensity} />
          <Button icon="plus" primary aria-keyshortcuts="n" onClick={() => setCreating(true)}>
            New issue
          </Button>
        </>
      }
    >
      {creating && <NewIssue onClose={endCreating} />}
      {dialog}
      {loaded && (
        <div class="board-filters">
          <Needs
            issues={matching}
            asking={asking}
            need={need}
            shown={shown}
            known={known}
            onChange={(next) => setFilter({ need: next ?? '' })}
          />
          <FilterBar
            filter={{ ...(words !== '' && { q: words }), ...(need !== null && { need }) }}
            shown={shown.length}
            selected={shown.filter((issue) => selected.has(issue.identifier)).length}
            onSelectAll={() =>
              setSelected(new Set([...selected, ...shown.map((issue) => issue.identifier)]))
            }
            onClear={() => setFilter({ q: '', need: '' })}
          />
        </div>
      )}
      {!loaded && failed === null && <BoardSkeleton />}
      {failed !== null && <LoadError error={failed} onRetry={retry} />}
      {loaded && failed === null && issues.length === 0 && (
        <EmptyState icon="board" title="No issues yet">
          <p>Create the first issue. An agent starts on it when a runner has a free slot.</p>
          <Button icon="plus" primary onClick={() => setCreating(true)}>
            New issue
          </Button>
        </EmptyState>
      )}
      {issues.length > 0 && shown.length === 0 && (
        <p class="no-match" role="status">
          No issues match this filter.
        </p>
      )}
      {issues.length > 0 && (
        <Columns
          columns={boardColumns(shown, asking)}
          asking={asking}
          selected={selected}
          density={density}
          paused={state.data?.paused ?? null}
        />
      )}
      <SelectionBar issues={issues} shown={shown} selected={selected} onChange={setSelected} />
    </Page>
  );
}

function useFilter(): (change: { q?: string; need?: Need | ''; new?: '' }) => void {
  const navigate = useNavigate({ from: '/board' });
  return (change) =>
    void navigate({
      search: (current) =>
        Object.fromEntries(
          Object.entries({ ...current, ...change }).filter(([, value]) => value !== ''),
        ),
      replace: true,
    });
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
